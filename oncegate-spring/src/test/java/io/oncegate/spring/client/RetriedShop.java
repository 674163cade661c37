package io.oncegate.spring.client;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/** Beans whose methods are retried by annotations. */
final class RetriedShop implements AutoCloseable {
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods(proxyTargetClass = true)
    @EnableRetry(proxyTargetClass = true)
    static class Beans {
        // snippet: post-processor
        @Bean
        static KeepIdempotencyKeyPostProcessor keepIdempotencyKeys() {
            return new KeepIdempotencyKeyPostProcessor();
        }
        // end snippet
    }

    static class FrameworkShop {
        private final RestClient client;

        FrameworkShop(RestClient client) {
            this.client = client;
        }

        // snippet: annotated
        @Retryable(maxRetries = 30, delay = 100)
        @KeepIdempotencyKey
        public String order(String call) {
            return client.post()
                    .uri("/orders")
                    .header("X-Call", call)
                    .body("{}")
                    .retrieve()
                    .body(String.class);
        }
        // end snippet
    }

    static class ReactiveShop {
        private final WebClient client;

        ReactiveShop(WebClient client) {
            this.client = client;
        }

        @Retryable(maxRetries = 30, delay = 100)
        @KeepIdempotencyKey
        public Mono<String> order(String call) {
            return Mono.defer(() -> Ways.post(client, call));
        }

        @Retryable(maxRetries = 30, delay = 100)
        public Mono<String> eager(String call) {
            return Ways.post(client, call);
        }
    }

    static class SpringRetryShop {
        private final RestClient client;

        SpringRetryShop(RestClient client) {
            this.client = client;
        }

        @org.springframework.retry.annotation.Retryable(maxAttempts = 30, backoff = @Backoff(delay = 100))
        @KeepIdempotencyKey
        public String order(String call) {
            return Ways.post(client, call);
        }
    }

    RetriedShop(RestClient client, WebClient webClient) {
        context.register(Beans.class);
        context.registerBean(FrameworkShop.class, () -> new FrameworkShop(client));
        context.registerBean(ReactiveShop.class, () -> new ReactiveShop(webClient));
        context.registerBean(SpringRetryShop.class, () -> new SpringRetryShop(client));
        context.refresh();
    }

    FrameworkShop framework() {
        return context.getBean(FrameworkShop.class);
    }

    ReactiveShop reactive() {
        return context.getBean(ReactiveShop.class);
    }

    SpringRetryShop springRetry() {
        return context.getBean(SpringRetryShop.class);
    }

    @Override
    public void close() {
        context.close();
    }
}
