package io.oncegate.shop.gate;

import io.oncegate.core.OnceEvent;
import io.oncegate.core.Oncegate;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.redis.RedisRecordStore;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.http.KeySource;
import io.oncegate.spring.http.StatusRules;
import io.oncegate.spring.mvc.IdempotencyFilter;
import io.oncegate.spring.mvc.ScopeResolver;
import io.oncegate.spring.token.TokenKeySource;
import jakarta.servlet.DispatcherType;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The gate in front: answers of {@code POST /api/orders}, and of the page's form, in Redis, for each user and key. The key is
 * the client's own, or a one-time token's. Flash orders need none.
 */
@Configuration(proxyBeanMethods = false)
class HttpGateConfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(HttpGateConfiguration.class);

    /** Behind the filter that names the caller. */
    private static final int FILTER_ORDER = 100;

    private static final long MAX_BODY_BYTES = 64 * 1024;

    private static final Duration RETENTION = Duration.ofHours(24);

    private static IdempotentRoute createOrder(OnceTokens tokens) {
        return route(
                IdempotentRoute.post("/api/orders", "http.order.create"),
                tokens(tokens, TokenConfiguration.ORDER_CREATE).or(KeySource.header()));
    }

    /** The form that a page shows; it brings no key but its token. */
    private static IdempotentRoute orderForm(OnceTokens tokens) {
        return route(
                IdempotentRoute.post("/sessions/{id}/orders", TokenConfiguration.ORDER_FORM),
                tokens(tokens, TokenConfiguration.ORDER_FORM));
    }

    /** The business gate tells double clicks apart; a key, where there is one, makes a request's copies one request. */
    private static IdempotentRoute flashOrder(String path, String operation) {
        // As a function it has the body read, and its size checked, also where there is no key.
        KeySource key = KeySource.header()::read;
        return builder(IdempotentRoute.post(path, operation).keyOptional(), key)
                .statuses(StatusRules.defaults().release(404, 409, 422))
                .build();
    }

    private static IdempotentRoute.Builder builder(IdempotentRoute.Builder route, KeySource key) {
        return route.key(key)
                .policies(order ->
                        order.lease(Duration.ofSeconds(30)).retention(RETENTION).waitUpTo(Duration.ofSeconds(10)));
    }

    private static IdempotentRoute route(IdempotentRoute.Builder route, KeySource key) {
        return builder(route, key)
                // A session may be added, and a key that another order has at the judge may still be right for its own.
                .statuses(StatusRules.defaults().release(404, 422))
                .build();
    }

    private static KeySource tokens(OnceTokens tokens, String purpose) {
        return TokenKeySource.of(tokens, purpose, RETENTION).storeRetryAfter(RedisConfiguration.RETRY_AFTER);
    }

    @Bean(destroyMethod = "close")
    Oncegate front(RedisRecordStore store) {
        return Oncegate.claimed(store)
                .settleFor(Duration.ofSeconds(2))
                .listener(HttpGateConfiguration::tellOfDownTime)
                .build();
    }

    private static void tellOfDownTime(OnceEvent event) {
        if (event.kind() == OnceEvent.Kind.STORE_DOWN) {
            LOG.warn("A request was refused with 503: store {} does not answer [{}]", event.store(), event.key());
        }
    }

    @Bean
    FilterRegistrationBean<IdempotencyFilter> httpGate(@Qualifier("front") Oncegate front, OnceTokens tokens) {
        FilterRegistrationBean<IdempotencyFilter> registration =
                new FilterRegistrationBean<>(IdempotencyFilter.builder(front, ScopeResolver.principal())
                        .route(createOrder(tokens))
                        .route(orderForm(tokens))
                        .route(flashOrder("/api/flash-orders", "http.flash.order"))
                        .route(flashOrder("/sessions/{id}/flash-orders", "form.flash.order"))
                        .maxBodyBytes(MAX_BODY_BYTES)
                        .storeRetryAfter(RedisConfiguration.RETRY_AFTER)
                        .build());
        registration.addUrlPatterns("/api/*", "/sessions/*");
        registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
        registration.setOrder(FILTER_ORDER);
        return registration;
    }
}
