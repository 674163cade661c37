package io.oncegate.spring.client;

import io.lettuce.core.RedisClient;
import io.oncegate.core.Oncegate;
import io.oncegate.core.key.Scope;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import io.oncegate.redis.RedisRecordStore;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.mvc.IdempotencyFilter;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import jakarta.servlet.DispatcherType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * A real Tomcat with a gate on real Redis, before which the first replies to each call get lost. A call is named by the
 * header X-Call, and its orders are counted.
 */
final class OrderServer implements AutoCloseable {
    private final RedisServer redis = RedisServers.standalone();
    private final RedisClient redisClient = RedisClient.create();
    private final RedisBackend backend = RedisBackend.connecting(
            redisClient,
            redis.uri(),
            RedisOptions.defaults().withPrefix("clients-" + UUID.randomUUID()).withTimeout(Duration.ofSeconds(10)));
    private final Oncegate oncegate =
            Oncegate.claimed(new RedisRecordStore(backend)).build();
    private final Map<String, AtomicInteger> orders = new ConcurrentHashMap<>();
    final LostReplies replies = new LostReplies();
    private final ConfigurableApplicationContext context;

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        TomcatServletWebServerAutoConfiguration.class,
        DispatcherServletAutoConfiguration.class,
        WebMvcAutoConfiguration.class,
        HttpMessageConvertersAutoConfiguration.class
    })
    static class App {}

    @RestController
    static class Orders {
        private final Map<String, AtomicInteger> orders;

        Orders(Map<String, AtomicInteger> orders) {
            this.orders = orders;
        }

        @PostMapping("/orders")
        @ResponseStatus(HttpStatus.CREATED)
        String order(@RequestHeader("X-Call") String call) {
            int count =
                    orders.computeIfAbsent(call, absent -> new AtomicInteger()).incrementAndGet();
            return "order " + count + " of " + call;
        }
    }

    OrderServer() {
        IdempotencyFilter gate = IdempotencyFilter.builder(oncegate, request -> Scope.of("alice"))
                .route(IdempotentRoute.post("/orders", "order.create")
                        .policies(operation -> operation.waitUpTo(Duration.ofSeconds(5)))
                        .build())
                .build();
        context = new SpringApplicationBuilder(App.class)
                .properties(Map.of("server.port", "0", "server.address", "127.0.0.1", "spring.main.banner-mode", "off"))
                .initializers((GenericApplicationContext c) -> {
                    c.registerBean(Orders.class, () -> new Orders(orders));
                    c.registerBean("replies", FilterRegistrationBean.class, () -> {
                        FilterRegistrationBean<LostReplies> bean = new FilterRegistrationBean<>(replies);
                        bean.setOrder(-1);
                        return bean;
                    });
                    c.registerBean("gate", FilterRegistrationBean.class, () -> {
                        FilterRegistrationBean<IdempotencyFilter> bean = new FilterRegistrationBean<>(gate);
                        bean.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
                        bean.setOrder(1);
                        return bean;
                    });
                })
                .run();
    }

    String root() {
        return "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port");
    }

    /** The keys with which a call's requests came, in their order. */
    List<String> keys(String call) {
        return replies.keys(call);
    }

    /** How many orders a call has placed. */
    int orders(String call) {
        return orders.getOrDefault(call, new AtomicInteger()).get();
    }

    @Override
    public void close() {
        replies.releaseAll();
        context.close();
        oncegate.close();
        backend.close();
        redisClient.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
}
