package io.oncegate.spring.annotation;

import io.oncegate.core.FailureKind;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.codec.TypeRef;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.spring.internal.Arguments;
import io.oncegate.spring.internal.Attributes;
import io.oncegate.spring.internal.CallKey;
import io.oncegate.spring.internal.Formula;
import io.oncegate.spring.internal.ReturnShape;
import io.oncegate.spring.internal.TransactionRules;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/** Makes the plan of an annotated method and finds what is wrong with it. */
final class PlanFactory {
    private static final boolean TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.annotation.Transactional", PlanFactory.class.getClassLoader());
    private static final Duration DEFAULT_TOLERANCE = Duration.ofMinutes(1);

    private final ConfigurableListableBeanFactory beans;
    private final Attributes attributes;

    PlanFactory(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
        this.attributes = new Attributes(beans);
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
        boolean sameTransaction = mode != Idempotent.Mode.CLAIMED;
        ReturnShape shape = ReturnShape.of(method, type, Attributes.isAsync(method, type), problems);
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
            Attributes.gather(problems, () -> gate.check(operation));
        }
        Arguments arguments = attributes.arguments(method, type);
        Formula key = new Formula("key", annotation.key(), arguments, problems);
        if (key.isConstant() && method.getParameterCount() > 0) {
            problems.add(key.describe() + " names no argument, so all calls would share one key");
        }
        Formula scope = formula("scope", annotation.scope(), arguments, problems);
        Formula fingerprint = formula("fingerprint", annotation.fingerprint(), arguments, problems);
        CallerScope callers = scope == null
                ? attributes.only(
                        CallerScope.class,
                        "has no scope, and there is no CallerScope bean; add one that names the caller, set scope, or say"
                                + " scope = Idempotent.GLOBAL if all callers may share their keys and results",
                        "has no scope, and there are several CallerScope beans; mark one as primary, or set scope",
                        problems)
                : null;
        List<Integer> compared = fingerprint == null ? ComparedArguments.of(method, type, problems) : List.of();
        if (compared.size() > Fingerprint.MAX_PARTS) {
            problems.add("has more than " + Fingerprint.MAX_PARTS + " arguments; give a fingerprint expression");
        }
        if (operation == null || gate == null) {
            return null;
        }
        return new MethodPlan(
                operation,
                gate,
                sameTransaction,
                joinsCaller,
                shape,
                new CallKey(
                        Attributes.label(method, type),
                        key,
                        scope,
                        callers == null ? () -> null : callers::current,
                        CallerUnknownException::new),
                annotation.keyRequired(),
                fingerprint,
                compared);
    }

    private static @Nullable Formula formula(String what, String text, Arguments arguments, List<String> problems) {
        return text.isBlank() ? null : new Formula(what, text, arguments, problems);
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

    private @Nullable Operation<Object> operation(
            Idempotent annotation, boolean sameTransaction, ReturnShape shape, List<String> problems) {
        int before = problems.size();
        String name = attributes.resolved("operation", annotation.operation(), problems);
        if (name.isBlank()) {
            problems.add("has no operation name; give one that outlives refactoring, like order.create");
            return null;
        }
        Attributes.gather(problems, () -> OperationKey.requireOperationName(name));
        if (problems.size() > before) {
            return null;
        }
        Operation.Builder<Object> builder = Operation.named(name).returning(TypeRef.ofType(shape.stored()));
        attributes.duration("lease", annotation.lease(), builder::lease, problems);
        attributes.duration("retention", annotation.retention(), builder::retention, problems);
        attributes.duration("resultRetention", annotation.resultRetention(), builder::resultRetention, problems);
        attributes.duration("waitUpTo", annotation.waitUpTo(), builder::waitUpTo, problems);
        birth(annotation, builder, problems);
        Attributes.gather(
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
            Attributes.gather(problems, () -> customizer.customize(name, builder));
        }
        List<Operation<Object>> built = new ArrayList<>();
        Attributes.gather(problems, () -> built.add(builder.build()));
        return problems.size() > before ? null : built.get(0);
    }

    private static FailureKind meaning(Throwable failure, List<Class<? extends Throwable>> unknown) {
        boolean unsure = unknown.stream().anyMatch(type -> type.isInstance(failure))
                || (TRANSACTIONS && failure instanceof CallerTransaction.Unknown);
        return unsure ? FailureKind.NOBODY_KNOWS : FailureKind.NOTHING_HAPPENED;
    }

    private void birth(Idempotent annotation, Operation.Builder<Object> builder, List<String> problems) {
        Duration limit = attributes.duration("birthLimit", annotation.birthLimit(), problems);
        Duration tolerance = attributes.duration("birthTolerance", annotation.birthTolerance(), problems);
        if (limit != null) {
            Attributes.gather(
                    problems, () -> builder.birthTime(limit, tolerance == null ? DEFAULT_TOLERANCE : tolerance));
        } else if (tolerance != null) {
            problems.add("has a birthTolerance but no birthLimit; set both");
        }
    }
}
