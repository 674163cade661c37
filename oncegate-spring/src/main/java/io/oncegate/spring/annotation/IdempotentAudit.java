package io.oncegate.spring.annotation;

import io.oncegate.spring.internal.AuditSubject;
import io.oncegate.spring.internal.MethodPlans;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.RequestMapping;

/** What {@link Idempotent} methods need to be protected. */
record IdempotentAudit(ConfigurableListableBeanFactory beans, MethodPlans<MethodPlan> plans) implements AuditSubject {
    @Override
    public String annotation() {
        return "@Idempotent";
    }

    @Override
    public String remedy() {
        return "; or run the business by Oncegate.run";
    }

    @Override
    public int order() {
        return IdempotentMethods.ORDER;
    }

    @Override
    public String insideTransaction() {
        return "its outcome would be settled before the commit";
    }

    @Override
    public String outsideRights() {
        return "a replay would be answered unchecked";
    }

    @Override
    public boolean isCandidate(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, Idempotent.class);
    }

    @Override
    public boolean isAnnotated(Method method) {
        return IdempotentMethods.annotation(method) != null;
    }

    @Override
    public boolean isAdvised(Method method) {
        Idempotent annotation = IdempotentMethods.annotation(method);
        return annotation != null && !annotation.key().isBlank();
    }

    @Override
    public List<String> problems(Method method, Class<?> type) {
        return isAdvised(method) ? plans.entry(method, type).problems() : withoutKey(method, type);
    }

    private List<String> withoutKey(Method method, Class<?> type) {
        if (beans.getBeanProvider(HandlerGate.class).stream().anyMatch(gate -> gate.guards(method, type))) {
            return List.of();
        }
        boolean handler = AnnotatedElementUtils.hasAnnotation(type, Controller.class)
                && AnnotatedElementUtils.hasAnnotation(method, RequestMapping.class);
        return List.of(
                handler
                        ? "has no key expression, and no HTTP gate guards this handler; switch the gate on, or set key"
                        : "has no key expression, and is no handler method of a controller whose key the HTTP gate"
                                + " could take from the request; set key");
    }

    /** Operations that several methods have. */
    @Override
    public List<String> together() {
        Map<String, Set<String>> labels = new LinkedHashMap<>();
        for (MethodPlans.Entry<MethodPlan> entry : plans.all()) {
            if (entry.plan() != null) {
                labels.computeIfAbsent(entry.plan().operation().name(), unused -> new LinkedHashSet<>())
                        .add(entry.plan().key().label());
            }
        }
        List<String> problems = new ArrayList<>();
        labels.forEach((name, methods) -> {
            if (methods.size() > 1) {
                problems.add("operation " + name + " names several methods, whose keys and results would be mixed up: "
                        + String.join(", ", methods) + "; give each a name of its own");
            }
        });
        return problems;
    }
}
