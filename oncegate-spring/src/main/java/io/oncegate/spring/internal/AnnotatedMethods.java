package io.oncegate.spring.internal;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/** Finds the annotated methods of a class: its own, inherited ones, and those that an interface or a superclass annotates. */
final class AnnotatedMethods {
    private AnnotatedMethods() {}

    static List<Method> of(Class<?> type, AuditSubject subject) {
        if (!subject.isCandidate(type)) {
            return List.of();
        }
        List<Method> found = new ArrayList<>();
        for (Method method : candidates(type)) {
            if (subject.isAnnotated(method)) {
                found.add(method);
            }
        }
        return found;
    }

    /** All methods that a call on such an object may run, each once. */
    static Set<Method> candidates(Class<?> type) {
        Set<Method> all = new LinkedHashSet<>();
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            for (Method method : declared(c)) {
                add(method, type, all);
            }
        }
        for (Class<?> each : ClassUtils.getAllInterfacesForClassAsSet(type)) {
            for (Method method : declared(each)) {
                add(method, type, all);
            }
        }
        return all;
    }

    private static Method[] declared(Class<?> type) {
        try {
            return type.getDeclaredMethods();
        } catch (LinkageError e) {
            return new Method[0]; // a class that is optional and not there: it cannot be called either
        }
    }

    private static void add(Method method, Class<?> type, Set<Method> all) {
        if (!method.isBridge() && !method.isSynthetic()) {
            all.add(AopUtils.getMostSpecificMethod(method, type));
        }
    }
}
