package io.oncegate.boot;

import io.oncegate.core.Oncegate;
import io.oncegate.spring.http.GateBuilder;
import io.oncegate.spring.http.IdempotentRoute;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;

/** What the gates of both web frameworks take from the properties. */
final class GateFactory {
    private GateFactory() {}

    static <B extends GateBuilder<B>> B set(B gate, HttpSettings settings, List<IdempotentRoute> routes) {
        gate.key(RouteKeys.header(settings));
        gate.unknownCallerStatus(settings.refusalOfUnknown()).storeRetryAfter(settings.pauseWhileDown());
        if (settings.maxBodySize() != null) {
            gate.maxBodyBytes(settings.maxBodySize().toBytes());
        }
        if (settings.memoryThreshold() != null) {
            gate.memoryThreshold(Math.toIntExact(settings.memoryThreshold().toBytes()));
        }
        routes.forEach(gate::route);
        return gate;
    }

    static Oncegate sameTransaction(ObjectProvider<Oncegate> engine, List<IdempotentRoute> routes) {
        Oncegate found = engine.getIfAvailable();
        if (found == null) {
            throw new IllegalStateException(
                    "the route " + routes.get(0) + " asks for the same-transaction mode, for which"
                            + " there is no engine; add oncegate-jdbc, a DataSource and a transaction manager");
        }
        return found;
    }

    static Oncegate ladder(ObjectProvider<Oncegate> engine, List<IdempotentRoute> routes) {
        Oncegate found = engine.getIfAvailable();
        if (found == null) {
            throw new IllegalStateException("the route " + routes.get(0)
                    + " asks for a ladder, for which there is no engine. " + LadderConfiguration.REMEDY);
        }
        return found;
    }
}
