package io.oncegate.boot;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Web filters that are made when all beans are there, as {@link LateFilter} says. */
final class LateWebFilter implements WebFilter, Ordered, SmartInitializingSingleton {
    private final Supplier<@Nullable WebFilter> source;
    private final int order;
    private volatile boolean ready;
    private volatile @Nullable WebFilter filter;

    LateWebFilter(Supplier<@Nullable WebFilter> source, int order) {
        this.source = source;
        this.order = order;
    }

    @Override
    public void afterSingletonsInstantiated() {
        filter = source.get();
        ready = true;
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        if (!ready) {
            return Mono.error(
                    new IllegalStateException("a request came before the application was ready; the gate refuses it"));
        }
        WebFilter made = filter;
        return made == null ? chain.filter(exchange) : made.filter(exchange, chain);
    }
}
