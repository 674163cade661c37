package io.oncegate.spring.client;

import feign.Feign;
import java.net.http.HttpClient;
import java.time.Duration;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;

/** How each client is set up, as the documentation shows it. */
final class ClientSetups {
    private ClientSetups() {}

    // snippet: keys
    static final IdempotencyKeys KEYS = IdempotencyKeys.toHosts("shop.example.com");
    static final RetryRules RULES = RetryRules.builder()
            .maxAttempts(4)
            .maxTotalWait(Duration.ofSeconds(30))
            .build();
    // end snippet

    static RestClient restClient() {
        // snippet: rest-client
        return RestClient.builder()
                .requestInterceptor(new IdempotentRequestInterceptor(KEYS, RULES))
                .build();
        // end snippet
    }

    static RestTemplate restTemplate() {
        RestTemplate template = new RestTemplate();
        template.getInterceptors().add(new IdempotentRequestInterceptor(KEYS, RULES));
        return template;
    }

    static WebClient webClient() {
        // snippet: web-client
        return WebClient.builder().apply(new IdempotentWebClient(KEYS, RULES)).build();
        // end snippet
    }

    static Feign feign() {
        // snippet: feign
        return Feign.builder()
                .requestInterceptor(new IdempotentFeignInterceptor(KEYS))
                .build();
        // end snippet
    }

    static HttpClient httpClient() {
        // snippet: http-client
        return new IdempotentHttpClient(HttpClient.newHttpClient(), KEYS, RULES);
        // end snippet
    }
}
