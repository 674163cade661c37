package io.oncegate.testsupport;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/** Where a database server listens, and who may do everything there. */
record JdbcAddress(String host, int port, String user, String password) {

    /** Reads {@code jdbc:…://host:port/database?user=…&password=…}. */
    static JdbcAddress parse(String url) {
        URI uri = URI.create(url.substring("jdbc:".length()));
        if (uri.getHost() == null || uri.getPort() < 0) {
            throw new IllegalArgumentException("Give host and port: " + url);
        }
        return new JdbcAddress(
                uri.getHost(), uri.getPort(), parameter(uri, "user", "root"), parameter(uri, "password", ""));
    }

    private static String parameter(URI uri, String name, String otherwise) {
        String query = uri.getRawQuery();
        if (query != null) {
            for (String pair : query.split("&", -1)) {
                if (pair.startsWith(name + "=")) {
                    return URLDecoder.decode(pair.substring(name.length() + 1), StandardCharsets.UTF_8);
                }
            }
        }
        return otherwise;
    }
}
