package io.oncegate.spring.lock;

import io.oncegate.spring.internal.AuditSubject;
import io.oncegate.spring.internal.MethodPlans;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What {@link Locked} and {@link OncePerWindow} methods need to be protected. */
record LockAudit(MethodPlans<LockPlan> plans, int order) implements AuditSubject {
    @Override
    public String annotation() {
        return "@Locked and @OncePerWindow";
    }

    @Override
    public String remedy() {
        return "; or take the lock by Locks.acquire";
    }

    @Override
    public String insideTransaction() {
        return "its lock would be taken after the transaction has begun";
    }

    @Override
    public String outsideRights() {
        return "its lock would be taken, and its result given, unchecked";
    }

    @Override
    public boolean isCandidate(Class<?> type) {
        return LockedMethods.isCandidate(type);
    }

    @Override
    public boolean isAnnotated(Method method) {
        return LockSettings.isOn(method);
    }

    @Override
    public boolean isAdvised(Method method) {
        return LockSettings.isOn(method);
    }

    @Override
    public List<String> problems(Method method, Class<?> type) {
        return plans.entry(method, type).problems();
    }

    /** Methods may share a lock, but not when they disagree about what it is. */
    @Override
    public List<String> together() {
        Map<String, List<LockPlan>> byOperation = new TreeMap<>();
        for (MethodPlans.Entry<LockPlan> entry : plans.all()) {
            LockPlan plan = entry.plan();
            if (plan != null) {
                byOperation
                        .computeIfAbsent(plan.operation(), unused -> new ArrayList<>())
                        .add(plan);
            }
        }
        List<String> problems = new ArrayList<>();
        byOperation.forEach((operation, sharing) -> {
            List<String> labels =
                    sharing.stream().map(LockPlan::label).distinct().sorted().toList();
            if (labels.size() < 2) {
                return;
            }
            long windows = sharing.stream()
                    .filter(plan -> plan.options().window() != null)
                    .count();
            if (windows > 0 && windows < sharing.size()) {
                problems.add("operation " + operation + " is a window here and a hold until done there: "
                        + String.join(", ", labels) + "; give each kind a name of its own");
            }
            if (sharing.stream().anyMatch(plan -> plan.results() != null)) {
                problems.add("operation " + operation + " gives results, but names several methods: "
                        + String.join(", ", labels) + "; give each a name of its own");
            }
        });
        return problems;
    }
}
