package io.oncegate.spring.annotation;

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

/** The plans of all annotated methods, each made once: at start-up, or at the first call of a bean made earlier. Thread-safe. */
final class MethodPlans {
    private final PlanFactory factory;
    private final Map<AnnotatedElementKey, Entry> entries = new ConcurrentHashMap<>();

    /** A plan, or what is wrong with the annotation. */
    record Entry(Method method, Class<?> type, @Nullable MethodPlan plan, List<String> problems) {}

    MethodPlans(PlanFactory factory) {
        this.factory = factory;
    }

    /**
     * The plan of a method.
     *
     * @throws IllegalStateException if its annotation is wrong: it is never run without the protection it asks for
     */
    MethodPlan of(Method method, Class<?> type) {
        Entry entry = entry(method, type);
        if (entry.plan() == null) {
            throw new IllegalStateException(
                    "an @Idempotent method cannot be called: " + String.join("; ", entry.problems()));
        }
        return entry.plan();
    }

    Entry entry(Method method, Class<?> type) {
        Class<?> user = ClassUtils.getUserClass(type);
        Method specific = AopUtils.getMostSpecificMethod(method, user);
        AnnotatedElementKey key = new AnnotatedElementKey(specific, user);
        Entry known = entries.get(key);
        if (known != null) {
            return known;
        }
        // not made inside the map: that would hold a lock while beans are looked up
        List<String> problems = new ArrayList<>();
        MethodPlan plan = factory.plan(specific, user, problems);
        Entry made = new Entry(specific, user, problems.isEmpty() ? plan : null, List.copyOf(problems));
        Entry first = entries.putIfAbsent(key, made);
        return first == null ? made : first;
    }

    Collection<Entry> all() {
        return List.copyOf(entries.values());
    }
}
