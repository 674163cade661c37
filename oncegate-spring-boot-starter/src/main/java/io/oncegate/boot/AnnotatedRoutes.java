package io.oncegate.boot;

import io.oncegate.core.FailureKind;
import io.oncegate.core.Operation;
import io.oncegate.spring.annotation.HandlerGate;
import io.oncegate.spring.annotation.Idempotent;
import io.oncegate.spring.annotation.Oncegates;
import io.oncegate.spring.http.HttpSnapshot;
import io.oncegate.spring.http.IdempotentRoute;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.RequestMethod;

/**
 * Handler methods with {@link Idempotent} and without a key expression: each becomes a route of the gate, which takes the key
 * from the request. Filled at start-up, read afterwards.
 */
final class AnnotatedRoutes implements HandlerGate {
    private static final List<RequestMethod> WITH_EFFECT =
            List.of(RequestMethod.POST, RequestMethod.PUT, RequestMethod.PATCH, RequestMethod.DELETE);

    /** The birth tolerance where an annotation gives a limit alone, as for annotated methods with a key. */
    private static final Duration BIRTH_TOLERANCE = Duration.ofMinutes(1);

    private final Environment environment;
    private final Idempotent.Mode defaultMode;
    private final Map<String, Method> operations = new HashMap<>();
    private final List<IdempotentRoute> claimed = new ArrayList<>();
    private final List<IdempotentRoute> sameTransaction = new ArrayList<>();
    private final List<IdempotentRoute> ladder = new ArrayList<>();
    private final Set<Method> guarded = new HashSet<>();

    private AnnotatedRoutes(Environment environment, Idempotent.Mode defaultMode) {
        this.environment = environment;
        this.defaultMode = defaultMode;
    }

    /**
     * None yet.
     *
     * @param engines says the mode of handlers that name none
     */
    static AnnotatedRoutes in(Environment environment, ObjectProvider<Oncegates> engines) {
        Oncegates known = engines.getIfAvailable();
        return new AnnotatedRoutes(environment, known == null ? Idempotent.Mode.CLAIMED : known.defaultMode());
    }

    List<IdempotentRoute> claimed() {
        return List.copyOf(claimed);
    }

    List<IdempotentRoute> sameTransaction() {
        return List.copyOf(sameTransaction);
    }

    List<IdempotentRoute> ladder() {
        return List.copyOf(ladder);
    }

    @Override
    public boolean guards(Method handler, Class<?> controller) {
        return guarded.contains(handler);
    }

    /** Looks at one handler; without the annotation nothing happens. */
    void add(Method handler, Set<RequestMethod> methods, Set<String> patterns) {
        Idempotent annotation = AnnotatedElementUtils.findMergedAnnotation(handler, Idempotent.class);
        if (annotation == null || !annotation.key().isBlank()) {
            return;
        }
        List<RequestMethod> withEffect = methods.isEmpty()
                ? WITH_EFFECT
                : methods.stream().filter(WITH_EFFECT::contains).toList();
        requireUsable(handler, annotation, withEffect);
        Idempotent.Mode mode = annotation.mode() == Idempotent.Mode.DEFAULT ? defaultMode : annotation.mode();
        List<IdempotentRoute> routes = switch (mode) {
            case SAME_TRANSACTION -> sameTransaction;
            case LADDER -> ladder;
            case CLAIMED, DEFAULT -> claimed;
        };
        for (String pattern : patterns) {
            for (RequestMethod method : withEffect) {
                routes.add(route(handler, annotation, method, pattern));
            }
        }
        guarded.add(handler);
    }

    private void requireUsable(Method handler, Idempotent annotation, List<RequestMethod> withEffect) {
        if (withEffect.isEmpty()) {
            throw unusable(handler, "is mapped to GET, HEAD, OPTIONS or TRACE alone, which have no effect to protect");
        }
        if (!annotation.fingerprint().isBlank() || !annotation.scope().isBlank() || annotation.refusals().length > 0) {
            throw unusable(
                    handler,
                    "has no key expression, so the HTTP gate takes key, caller and content from the request: fingerprint,"
                            + " scope and refusals do not fit; take them away, or add a key expression");
        }
        Method other = operations.putIfAbsent(text(annotation.operation()), handler);
        if (other != null && !other.equals(handler)) {
            throw unusable(
                    handler,
                    "has the operation name of " + other.getDeclaringClass().getSimpleName() + "." + other.getName()
                            + ", so their keys and answers would be mixed up; give each a name of its own");
        }
    }

    private IdempotentRoute route(Method handler, Idempotent annotation, RequestMethod method, String pattern) {
        try {
            IdempotentRoute.Builder route = IdempotentRoute.of(method.name(), pattern, text(annotation.operation()))
                    .maxResponseBytes(annotation.maxResultBytes())
                    .failures(failure -> meaning(annotation, failure))
                    .policies(operation -> policies(annotation, operation));
            return annotation.keyRequired()
                    ? route.build()
                    : route.keyOptional().build();
        } catch (RuntimeException e) {
            throw unusable(handler, "cannot be a route of the gate: " + e.getMessage());
        }
    }

    private static FailureKind meaning(Idempotent annotation, Throwable failure) {
        for (Class<?> unknown : annotation.unknown()) {
            if (unknown.isInstance(failure)) {
                return FailureKind.NOBODY_KNOWS;
            }
        }
        return FailureKind.NOTHING_HAPPENED;
    }

    private Operation.Builder<HttpSnapshot> policies(Idempotent annotation, Operation.Builder<HttpSnapshot> operation) {
        set(annotation.lease(), operation::lease);
        set(annotation.retention(), operation::retention);
        set(annotation.resultRetention(), operation::resultRetention);
        set(annotation.waitUpTo(), operation::waitUpTo);
        Duration limit = duration(annotation.birthLimit());
        if (limit != null) {
            Duration tolerance = duration(annotation.birthTolerance());
            operation.birthTime(limit, tolerance == null ? BIRTH_TOLERANCE : tolerance);
        }
        return operation.whenStoreDown(annotation.whenStoreDown());
    }

    private void set(String text, Consumer<Duration> policy) {
        Duration duration = duration(text);
        if (duration != null) {
            policy.accept(duration);
        }
    }

    private @Nullable Duration duration(String text) {
        String resolved = text(text);
        return resolved.isBlank() ? null : DurationStyle.detectAndParse(resolved);
    }

    private String text(String text) {
        return environment.resolveRequiredPlaceholders(text);
    }

    private static IllegalStateException unusable(Method handler, String why) {
        return new IllegalStateException(
                "@Idempotent " + handler.getDeclaringClass().getSimpleName() + "." + handler.getName() + " " + why);
    }
}
