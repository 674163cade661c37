package io.oncegate.shop.web;

import java.net.URI;
import java.net.URISyntaxException;

/** The {@code instance} of problems: the address that was asked for. Some that Tomcat lets through are no {@link URI}: {@code //}. */
final class ProblemInstance {
    private ProblemInstance() {}

    static URI of(String requestUri) {
        try {
            return new URI(requestUri);
        } catch (URISyntaxException e) {
            return URI.create("/");
        }
    }
}
