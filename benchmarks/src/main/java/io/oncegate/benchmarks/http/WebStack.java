package io.oncegate.benchmarks.http;

import io.oncegate.core.Oncegate;
import io.oncegate.spring.http.GateBuilder;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.mvc.IdempotencyFilter;
import io.oncegate.spring.webflux.IdempotencyWebFilter;
import java.util.List;
import reactor.core.publisher.Mono;

/** A web framework with its server. */
public enum WebStack {
    /** Spring MVC on Tomcat. */
    MVC("MVC") {
        @Override
        public OrderServer bare() {
            return MvcApp.start(null);
        }

        @Override
        public OrderServer gated(Oncegate oncegate, List<IdempotentRoute> routes) {
            return MvcApp.start(with(routes, IdempotencyFilter.builder(oncegate, request -> OrderServer.CALLER))
                    .build());
        }
    },

    /** Spring WebFlux on Netty. */
    WEBFLUX("WebFlux") {
        @Override
        public OrderServer bare() {
            return WebFluxApp.start(null);
        }

        @Override
        public OrderServer gated(Oncegate oncegate, List<IdempotentRoute> routes) {
            return WebFluxApp.start(with(
                            routes, IdempotencyWebFilter.builder(oncegate, exchange -> Mono.just(OrderServer.CALLER)))
                    .build());
        }
    };

    private final String title;

    WebStack(String title) {
        this.title = title;
    }

    /** Its name in the rows. */
    public String title() {
        return title;
    }

    /** Starts a server that has no gate at all. */
    public abstract OrderServer bare();

    /** Starts a server whose requests go through a gate with these routes; closing it leaves the engine open. */
    public abstract OrderServer gated(Oncegate oncegate, List<IdempotentRoute> routes);

    private static <B extends GateBuilder<B>> B with(List<IdempotentRoute> routes, B builder) {
        routes.forEach(builder::route);
        return builder;
    }
}
