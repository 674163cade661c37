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
        List<IdempotentRoute> ladder = new ArrayList<>();
        for (int i = 0; i < settings.routes().size(); i++) {
            RouteSettings route = settings.routes().get(i);
            if (route.ladder() && route.sameTransaction()) {
                throw new IllegalArgumentException(
                        "oncegate.http.routes[" + i + "] has both ladder and same-transaction;"
                                + " a ladder is same-transaction mode behind Redis: take one of them away");
            }
            List<IdempotentRoute> apart = route.sameTransaction() ? sameTransaction : claimed;
            (route.ladder() ? ladder : apart).add(ConfiguredRoute.of(route, i, keys));
        }
        claimed.addAll(annotated.claimed());
        sameTransaction.addAll(annotated.sameTransaction());
        ladder.addAll(annotated.ladder());
        return new GateRoutes(List.copyOf(claimed), List.copyOf(sameTransaction), List.copyOf(ladder));
    }

    Stream<IdempotentRoute> all() {
        return Stream.of(claimed, sameTransaction, ladder).flatMap(List::stream);
    }
}
