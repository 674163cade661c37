package io.oncegate.shop.gate;

import io.oncegate.core.OnceEvent;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.WhenStoreDown;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.spring.http.HttpSnapshot;
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
 * the client's own, or a one-time token's. Flash orders and the steps of an order need none.
 *
 * <p>While Redis is away, requests with a key of their own run without this gate: what stands behind it judges. Tokens and
 * flash orders are refused then.
 */
@Configuration(proxyBeanMethods = false)
class HttpGateConfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(HttpGateConfiguration.class);

    /** Behind the filter that names the caller. */
    private static final int FILTER_ORDER = 100;

    private static final long MAX_BODY_BYTES = 64 * 1024;

    private static final Duration RETENTION = Duration.ofHours(24);

    /** A session may be added, and a key that another order has at the judge may still be right for its own. */
    private static final StatusRules RELEASED = StatusRules.defaults().release(404, 422);

    private static IdempotentRoute createOrder(OnceTokens tokens, PausingRecordStore store) {
        KeySource token = new ClosedTokens(
                tokens(tokens, TokenConfiguration.ORDER_CREATE), store, RedisConfiguration.RETRY_AFTER);
        return builder(IdempotentRoute.post("/api/orders", "http.order.create"), token.or(KeySource.header()))
                .policies(order -> policies(order).whenStoreDown(WhenStoreDown.RUN_UNPROTECTED))
                .statuses(RELEASED)
                .build();
    }

    /** What happens to an order is known again without a key, in the order's own history. */
    private static IdempotentRoute step(String event) {
        return builder(
                        IdempotentRoute.post("/api/orders/{orderNo}/" + event, "http.order." + event)
                                .keyOptional(),
                        KeySource.header())
                .policies(order -> policies(order).whenStoreDown(WhenStoreDown.RUN_UNPROTECTED))
                // What is illegal now may be legal later, with the same key.
                .statuses(StatusRules.defaults().release(404, 409, 422))
                .build();
    }

    /** The form that a page shows; it brings no key but its token. */
    private static IdempotentRoute orderForm(OnceTokens tokens) {
        return builder(
                        IdempotentRoute.post("/sessions/{id}/orders", TokenConfiguration.ORDER_FORM),
                        tokens(tokens, TokenConfiguration.ORDER_FORM))
                .statuses(RELEASED)
                .build();
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
        return route.key(key).policies(HttpGateConfiguration::policies);
    }

    private static Operation.Builder<HttpSnapshot> policies(Operation.Builder<HttpSnapshot> order) {
        return order.lease(Duration.ofSeconds(30)).retention(RETENTION).waitUpTo(Duration.ofSeconds(10));
    }

    private static KeySource tokens(OnceTokens tokens, String purpose) {
        return TokenKeySource.of(tokens, purpose, RETENTION).storeRetryAfter(RedisConfiguration.RETRY_AFTER);
    }

    @Bean(destroyMethod = "close")
    Oncegate front(PausingRecordStore store) {
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
    FilterRegistrationBean<IdempotencyFilter> httpGate(
            @Qualifier("front") Oncegate front, OnceTokens tokens, PausingRecordStore store) {
        FilterRegistrationBean<IdempotencyFilter> registration =
                new FilterRegistrationBean<>(IdempotencyFilter.builder(front, ScopeResolver.principal())
                        .route(createOrder(tokens, store))
                        .route(orderForm(tokens))
                        .route(step("pay"))
                        .route(step("ship"))
                        .route(step("complete"))
                        .route(step("cancel"))
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
