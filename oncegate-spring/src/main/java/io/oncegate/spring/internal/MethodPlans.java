package io.oncegate.spring.internal;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.expression.AnnotatedElementKey;
import org.springframework.util.ClassUtils;

/**
 * The plans of all annotated methods, each made once: at start-up, or at the first call of a bean made earlier. Thread-safe.
 *
 * @param <P> what a plan is
 */
public final class MethodPlans<P> {
    private final String annotation;
    private final Factory<P> factory;
    private final Map<AnnotatedElementKey, Entry<P>> entries = new ConcurrentHashMap<>();

    /**
     * A plan, or what is wrong with the annotation.
     *
     * @param <P> what a plan is
     */
    public record Entry<P>(
            Method method, Class<?> type, @Nullable P plan, List<String> problems) {}

    /**
     * Makes plans.
     *
     * @param <P> what a plan is
     */
    @FunctionalInterface
    public interface Factory<P> {
        /** The plan; not to be used if there are problems. */
        @Nullable
        P plan(Method method, Class<?> type, List<String> problems);
    }

    /**
     * No plans yet.
     *
     * @param annotation how messages name it, with its article
     */
    public MethodPlans(String annotation, Factory<P> factory) {
        this.annotation = annotation;
        this.factory = factory;
    }

    /**
     * The plan of a method.
     *
     * @throws IllegalStateException if its annotation is wrong: it is never run without the protection it asks for
     */
    public P of(Method method, Class<?> type) {
        Entry<P> entry = entry(method, type);
        P plan = entry.plan();
        if (plan == null) {
            throw new IllegalStateException(
                    annotation + " method cannot be called: " + String.join("; ", entry.problems()));
        }
        return plan;
    }

    /** The plan of a method, or what is wrong with it. */
    public Entry<P> entry(Method method, Class<?> type) {
        Class<?> user = ClassUtils.getUserClass(type);
        Method specific = AopUtils.getMostSpecificMethod(method, user);
        AnnotatedElementKey key = new AnnotatedElementKey(specific, user);
        Entry<P> known = entries.get(key);
        if (known != null) {
            return known;
        }
        // not made inside the map: that would hold a lock while beans are looked up
        List<String> problems = new ArrayList<>();
        P plan = factory.plan(specific, user, problems);
        Entry<P> made = new Entry<>(specific, user, problems.isEmpty() ? plan : null, List.copyOf(problems));
        Entry<P> first = entries.putIfAbsent(key, made);
        return first == null ? made : first;
    }

    /** All that have been made. */
    public Collection<Entry<P>> all() {
        return List.copyOf(entries.values());
    }
}
