package io.oncegate.boot;

import io.oncegate.core.Operation;
import io.oncegate.spring.http.HeaderRules;
import io.oncegate.spring.http.HttpSnapshot;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.http.KeySource;
import io.oncegate.spring.http.StatusRules;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes routes of what the properties say. */
final class ConfiguredRoute {
    private ConfiguredRoute() {}

    static IdempotentRoute of(RouteSettings settings, int index, RouteKeys keys) {
        String path = required(settings.path(), index, "path");
        String operation = required(settings.operation(), index, "operation");
        try {
            IdempotentRoute.Builder route = IdempotentRoute.of(settings.method(), path, operation)
                    .policies(builder -> policies(settings, builder))
                    .statuses(statuses(settings))
                    .headers(HeaderRules.defaults().and(settings.headers().toArray(String[]::new)));
            KeySource key = keys.of(settings, operation);
            if (key != null) {
                route.key(key);
            }
            if (settings.ignoreBirthTime()) {
                route.ignoreBirthTime();
            }
            if (!settings.keyRequired()) {
                route.keyOptional();
            }
            if (settings.maxResponseSize() != null) {
                route.maxResponseBytes(
                        Math.toIntExact(settings.maxResponseSize().toBytes()));
            }
            return route.build();
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IllegalArgumentException("oncegate.http.routes[" + index + "]: " + e.getMessage(), e);
        }
    }

    private static String required(@Nullable String value, int index, String what) {
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException("oncegate.http.routes[" + index + "] has no " + what + "; add it");
        }
        return value;
    }

    private static Operation.Builder<HttpSnapshot> policies(
            RouteSettings settings, Operation.Builder<HttpSnapshot> operation) {
        if (settings.lease() != null) {
            operation.lease(settings.lease());
        }
        if (settings.retention() != null) {
            operation.retention(settings.retention());
        }
        if (settings.resultRetention() != null) {
            operation.resultRetention(settings.resultRetention());
        }
        if (settings.waitUpTo() != null) {
            operation.waitUpTo(settings.waitUpTo());
        }
        if (settings.whenStoreDown() != null) {
            operation.whenStoreDown(settings.whenStoreDown());
        }
        if (settings.birthLimit() != null) {
            Duration tolerance = settings.birthTolerance();
            operation.birthTime(settings.birthLimit(), tolerance == null ? DEFAULT_TOLERANCE : tolerance);
        }
        return operation;
    }

    private static final Duration DEFAULT_TOLERANCE = Duration.ofMinutes(5);

    private static StatusRules statuses(RouteSettings settings) {
        return StatusRules.defaults()
                .keep(array(settings.keep()))
                .release(array(settings.release()))
                .unknown(array(settings.unknown()));
    }

    private static int[] array(List<Integer> statuses) {
        return statuses.stream().mapToInt(Integer::intValue).toArray();
    }
}
