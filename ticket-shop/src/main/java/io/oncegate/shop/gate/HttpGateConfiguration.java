package io.oncegate.shop.gate;

import io.oncegate.core.OnceEvent;
import io.oncegate.core.Oncegate;
import io.oncegate.core.key.Scope;
import io.oncegate.redis.RedisRecordStore;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.http.StatusRules;
import io.oncegate.spring.mvc.IdempotencyFilter;
import io.oncegate.spring.mvc.ScopeResolver;
import jakarta.servlet.DispatcherType;
import java.security.Principal;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The gate in front: answers of {@code POST /api/orders} in Redis, for each user and Idempotency-Key. */
@Configuration(proxyBeanMethods = false)
class HttpGateConfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(HttpGateConfiguration.class);

    /** Behind the filter that names the caller. */
    private static final int FILTER_ORDER = 100;

    private static final long MAX_BODY_BYTES = 64 * 1024;

    private static final IdempotentRoute CREATE_ORDER = IdempotentRoute.post("/api/orders", "http.order.create")
            .policies(order -> order.lease(Duration.ofSeconds(30))
                    .retention(Duration.ofHours(24))
                    .waitUpTo(Duration.ofSeconds(10)))
            // A session may be added, and a key that another order has at the judge may still be right for its own.
            .statuses(StatusRules.defaults().release(404, 422))
            .build();

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
    FilterRegistrationBean<IdempotencyFilter> httpGate(@Qualifier("front") Oncegate front) {
        ScopeResolver user = request -> {
            Principal principal = request.getUserPrincipal();
            return principal == null ? null : Scope.of(principal.getName());
        };
        FilterRegistrationBean<IdempotencyFilter> registration =
                new FilterRegistrationBean<>(IdempotencyFilter.builder(front, user)
                        .route(CREATE_ORDER)
                        .maxBodyBytes(MAX_BODY_BYTES)
                        .storeRetryAfter(Duration.ofSeconds(2))
                        .build());
        registration.addUrlPatterns("/api/*");
        registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
        registration.setOrder(FILTER_ORDER);
        return registration;
    }
}
