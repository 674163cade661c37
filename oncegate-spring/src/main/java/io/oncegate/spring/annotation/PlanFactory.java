package io.oncegate.spring.annotation;

import io.oncegate.core.FailureKind;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.codec.TypeRef;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/** Makes the plan of an annotated method and finds what is wrong with it. */
final class PlanFactory {
    private static final boolean TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.annotation.Transactional", PlanFactory.class.getClassLoader());
    private static final Duration DEFAULT_TOLERANCE = Duration.ofMinutes(1);

    private final ConfigurableListableBeanFactory beans;

    PlanFactory(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    static boolean isAsync(Method method, Class<?> type) {
        return AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(type, Async.class);
    }

    /** The plan; not to be used if there are problems. */
    @Nullable
    MethodPlan plan(Method method, Class<?> type, List<String> problems) {
        Idempotent annotation = AnnotatedElementUtils.findMergedAnnotation(method, Idempotent.class);
        if (annotation == null || annotation.key().isBlank()) {
            problems.add("has no key expression");
            return null;
        }
        Oncegates gates = gates(problems);
        if (gates == null) {
            return null;
        }
        Idempotent.Mode mode = gates.effective(annotation.mode());
        boolean sameTransaction = mode == Idempotent.Mode.SAME_TRANSACTION;
        ReturnShape shape = ReturnShape.of(method, type, isAsync(method, type), problems);
        boolean joinsCaller = !sameTransaction;
        if (TRANSACTIONS) {
            joinsCaller &= TransactionRules.joinsCaller(method, type);
            if (sameTransaction) {
                TransactionRules.checkSameTransaction(method, type, problems);
            }
        }
        if (sameTransaction
                && shape.kind() != ReturnShape.Kind.VALUE
                && shape.kind() != ReturnShape.Kind.FUTURE
                && shape.kind() != ReturnShape.Kind.CALLABLE) {
            problems.add("goes on after it has returned, which a transaction that is bound to its thread cannot follow;"
                    + " use mode CLAIMED");
        }
        Operation<Object> operation = operation(annotation, sameTransaction, shape, problems);
        Oncegate gate = gates.of(annotation.mode());
        if (gate == null) {
            problems.add("wants mode " + mode + ", but the Oncegates bean has no engine of that mode; add one");
        } else if (operation != null) {
            gather(problems, () -> gate.check(operation));
        }
        Arguments arguments = arguments(method, type);
        Formula key = new Formula("key", annotation.key(), arguments, problems);
        if (key.isConstant() && method.getParameterCount() > 0) {
            problems.add(key.describe() + " names no argument, so all calls would share one key");
        }
        Formula scope = formula("scope", annotation.scope(), arguments, problems);
        Formula fingerprint = formula("fingerprint", annotation.fingerprint(), arguments, problems);
        CallerScope callers = callers(scope, problems);
        List<Integer> compared = fingerprint == null ? ComparedArguments.of(method, type, problems) : List.of();
        if (compared.size() > Fingerprint.MAX_PARTS) {
            problems.add("has more than " + Fingerprint.MAX_PARTS + " arguments; give a fingerprint expression");
        }
        if (operation == null || gate == null) {
            return null;
        }
        return new MethodPlan(
                label(method, type),
                operation,
                gate,
                sameTransaction,
                joinsCaller,
                shape,
                key,
                annotation.keyRequired(),
                scope,
                callers,
                fingerprint,
                compared);
    }

    static String label(Method method, Class<?> type) {
        List<String> parameters = new ArrayList<>();
        for (Class<?> parameter : method.getParameterTypes()) {
            parameters.add(parameter.getSimpleName());
        }
        return ClassUtils.getShortName(type) + "." + method.getName() + "(" + String.join(", ", parameters) + ")";
    }

    private static @Nullable Formula formula(String what, String text, Arguments arguments, List<String> problems) {
        return text.isBlank() ? null : new Formula(what, text, arguments, problems);
    }

    private Arguments arguments(Method method, Class<?> type) {
        List<@Nullable String> names = new ArrayList<>();
        String[] found = names(method, type);
        for (int i = 0; i < method.getParameterCount(); i++) {
            names.add(found == null ? null : found[i]);
        }
        return new Arguments(names, beans);
    }

    /** The names, of the method or of one in an interface that it implements: proxies of interfaces have none. */
    private static String @Nullable [] names(Method method, Class<?> type) {
        DefaultParameterNameDiscoverer discoverer = new DefaultParameterNameDiscoverer();
        String[] names = discoverer.getParameterNames(method);
        if (names != null) {
            return names;
        }
        for (Class<?> each : ClassUtils.getAllInterfacesForClassAsSet(type)) {
            Method declared = ClassUtils.getMethodIfAvailable(each, method.getName(), method.getParameterTypes());
            names = declared == null ? null : discoverer.getParameterNames(declared);
            if (names != null) {
                return names;
            }
        }
        return null;
    }

    private @Nullable Oncegates gates(List<String> problems) {
        try {
            Oncegates gates = beans.getBeanProvider(Oncegates.class).getIfAvailable();
            if (gates != null) {
                return gates;
            }
            Oncegate only = beans.getBeanProvider(Oncegate.class).getIfAvailable();
            if (only != null) {
                return Oncegates.claimed(only);
            }
            problems.add("has no engine: there is neither an Oncegates bean nor an Oncegate bean; add one");
        } catch (NoUniqueBeanDefinitionException e) {
            problems.add(
                    "has no engine: there are several Oncegate beans; add one Oncegates bean that names the mode of"
                            + " each");
        }
        return null;
    }

    private CallerScope callers(@Nullable Formula scope, List<String> problems) {
        if (scope != null) {
            return () -> null;
        }
        try {
            CallerScope callers = beans.getBeanProvider(CallerScope.class).getIfAvailable();
            if (callers != null) {
                return callers;
            }
            problems.add(
                    "has no scope, and there is no CallerScope bean; add one that names the caller, set scope, or say"
                            + " scope = Idempotent.GLOBAL if all callers may share their keys and results");
        } catch (NoUniqueBeanDefinitionException e) {
            problems.add("has no scope, and there are several CallerScope beans; mark one as primary, or set scope");
        }
        return () -> null;
    }

    private @Nullable Operation<Object> operation(
            Idempotent annotation, boolean sameTransaction, ReturnShape shape, List<String> problems) {
        int before = problems.size();
        String name = resolved("operation", annotation.operation(), problems);
        if (name.isBlank()) {
            problems.add("has no operation name; give one that outlives refactoring, like order.create");
            return null;
        }
        gather(problems, () -> OperationKey.requireOperationName(name));
        if (problems.size() > before) {
            return null;
        }
        Operation.Builder<Object> builder = Operation.named(name).returning(TypeRef.ofType(shape.stored()));
        duration("lease", annotation.lease(), builder::lease, problems);
        duration("retention", annotation.retention(), builder::retention, problems);
        duration("resultRetention", annotation.resultRetention(), builder::resultRetention, problems);
        duration("waitUpTo", annotation.waitUpTo(), builder::waitUpTo, problems);
        birth(annotation, builder, problems);
        gather(
                problems,
                () -> builder.maxResultBytes(annotation.maxResultBytes()).whenStoreDown(annotation.whenStoreDown()));
        for (Class<? extends RuntimeException> refusal : annotation.refusals()) {
            RefusalForms.declare(builder, refusal, problems);
        }
        List<Class<? extends Throwable>> unknown = List.of(annotation.unknown());
        if (!sameTransaction || !unknown.isEmpty()) {
            builder.failures(failure -> meaning(failure, unknown));
        }
        for (OperationCustomizer customizer :
                beans.getBeanProvider(OperationCustomizer.class).orderedStream().toList()) {
            gather(problems, () -> customizer.customize(name, builder));
        }
        List<Operation<Object>> built = new ArrayList<>();
        gather(problems, () -> built.add(builder.build()));
        return problems.size() > before ? null : built.get(0);
    }

    private static FailureKind meaning(Throwable failure, List<Class<? extends Throwable>> unknown) {
        boolean unsure = unknown.stream().anyMatch(type -> type.isInstance(failure))
                || (TRANSACTIONS && failure instanceof CallerTransaction.Unknown);
        return unsure ? FailureKind.NOBODY_KNOWS : FailureKind.NOTHING_HAPPENED;
    }

    private void birth(Idempotent annotation, Operation.Builder<Object> builder, List<String> problems) {
        Duration limit = duration("birthLimit", annotation.birthLimit(), problems);
        Duration tolerance = duration("birthTolerance", annotation.birthTolerance(), problems);
        if (limit != null) {
            gather(problems, () -> builder.birthTime(limit, tolerance == null ? DEFAULT_TOLERANCE : tolerance));
        } else if (tolerance != null) {
            problems.add("has a birthTolerance but no birthLimit; set both");
        }
    }

    private void duration(String what, String text, Consumer<Duration> setter, List<String> problems) {
        Duration duration = duration(what, text, problems);
        if (duration != null) {
            gather(problems, () -> setter.accept(duration));
        }
    }

    private @Nullable Duration duration(String what, String text, List<String> problems) {
        String resolved = resolved(what, text, problems);
        if (resolved.isBlank()) {
            return null;
        }
        try {
            return DurationFormatterUtils.detectAndParse(resolved.trim());
        } catch (RuntimeException e) {
            problems.add(what + " [" + text + "] is no duration; write 30s or PT30S");
            return null;
        }
    }

    private String resolved(String what, String text, List<String> problems) {
        if (!text.contains("${")) {
            return text;
        }
        try {
            String resolved = beans.resolveEmbeddedValue(text);
            if (resolved != null && resolved.contains("${")) { // before the context has its resolvers
                resolved = beans.getBean(Environment.class).resolveRequiredPlaceholders(resolved);
            }
            return resolved == null ? "" : resolved;
        } catch (RuntimeException e) {
            problems.add(what + " [" + text + "] cannot be resolved; set the property");
            return "";
        }
    }

    private static void gather(List<String> problems, Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
    }
}
