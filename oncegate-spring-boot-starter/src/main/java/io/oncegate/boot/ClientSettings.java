package io.oncegate.boot;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties under {@code oncegate.client}.
 *
 * @param hosts the hosts that keys are sent to, by the application's RestClient, RestTemplate and WebClient builders; none
 *     unless named
 * @param header the header that carries the key
 * @param methods the HTTP methods whose requests get a key, by default POST and PATCH
 * @param retry whether requests with a key are tried again by the client itself
 */
public record ClientSettings(
        @DefaultValue List<String> hosts,
        @Nullable String header,
        @DefaultValue List<String> methods,
        @DefaultValue Retry retry) {
    /**
     * The properties under {@code oncegate.client.retry}.
     *
     * @param enabled whether the client tries again by itself
     * @param maxAttempts how often a request is sent at most
     * @param maxTotalWait how long all pauses are together at most
     */
    public record Retry(
            boolean enabled,
            @Nullable Integer maxAttempts,
            @Nullable Duration maxTotalWait) {}
}
