package io.oncegate.boot;

import io.oncegate.spring.http.IdempotentRoute;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The routes of the application's gate, by the engine that serves them.
 *
 * @param claimed routes whose record lives apart from the effect
 * @param sameTransaction routes whose record commits with it
 * @param ladder routes whose record commits with it, behind a fast store
 */
record GateRoutes(List<IdempotentRoute> claimed, List<IdempotentRoute> sameTransaction, List<IdempotentRoute> ladder) {
    static GateRoutes of(
            HttpSettings settings, Stream<IdempotentRoute> beans, AnnotatedRoutes annotated, RouteKeys keys) {
        List<IdempotentRoute> claimed = new ArrayList<>(beans.toList());
        List<IdempotentRoute> sameTransaction = new ArrayList<>();
        for (int i = 0; i < settings.routes().size(); i++) {
            RouteSettings route = settings.routes().get(i);
            (route.sameTransaction() ? sameTransaction : claimed).add(ConfiguredRoute.of(route, i, keys));
        }
        claimed.addAll(annotated.claimed());
        sameTransaction.addAll(annotated.sameTransaction());
        return new GateRoutes(List.copyOf(claimed), List.copyOf(sameTransaction), annotated.ladder());
    }

    Stream<IdempotentRoute> all() {
        return Stream.of(claimed, sameTransaction, ladder).flatMap(List::stream);
    }
}
