package io.oncegate.spring.annotation;

import io.oncegate.core.Begun;
import io.oncegate.core.Call;
import io.oncegate.core.Claim;
import io.oncegate.core.Outcome;
import io.oncegate.spring.internal.Body;
import io.oncegate.spring.internal.Invocations;
import io.oncegate.spring.internal.MethodPlans;
import io.oncegate.spring.internal.ReturnShape;
import io.oncegate.spring.internal.ReturnShape.ReleasedAnswer;
import io.oncegate.spring.internal.Sneaky;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/** Runs the calls of annotated methods through their engine. Thread-safe. */
final class IdempotentInterceptor implements MethodInterceptor {
    private static final boolean TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            IdempotentInterceptor.class.getClassLoader());

    private final MethodPlans<MethodPlan> plans;
    private final Executor executor;

    /**
     * Creates the interceptor.
     *
     * @param executor settles what ends on a thread that must not wait
     */
    IdempotentInterceptor(MethodPlans<MethodPlan> plans, Executor executor) {
        this.plans = plans;
        this.executor = executor;
    }

    /** What the first call is answered with: the business's own result, not the stored one. */
    static final class First {
        volatile @Nullable Object result;

        @Nullable
        Object keep(ReturnShape shape, @Nullable Object value) {
            result = value;
            return shape.toStored(value);
        }
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        Class<?> type = target == null ? invocation.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
        MethodPlan plan = plans.of(invocation.getMethod(), type);
        return switch (plan.shape().kind()) {
            case VALUE -> value(plan, invocation);
            case FUTURE -> future(plan, invocation);
            case CALLABLE -> callable(plan, invocation);
            case STAGE -> stage(plan, invocation);
            case MONO -> ReactiveCalls.mono(plan, Invocations.own(invocation));
            case FLUX -> ReactiveCalls.flux(plan, Invocations.own(invocation));
        };
    }

    private @Nullable Object value(MethodPlan plan, MethodInvocation invocation) throws Throwable {
        Call<Object> call = plan.call(invocation.getArguments());
        return call == null ? invocation.proceed() : run(plan, call, invocation::proceed);
    }

    /** Of a method that is run on another thread as a whole: the executor waits for its future anyway. */
    private @Nullable Object future(MethodPlan plan, MethodInvocation invocation) throws Throwable {
        Call<Object> call = plan.call(invocation.getArguments());
        if (call == null) {
            return invocation.proceed();
        }
        return CompletableFuture.completedFuture(
                run(plan, call, () -> Invocations.awaited((Future<?>) invocation.proceed())));
    }

    /** The key is made now, the claim when it is called. */
    private @Nullable Object callable(MethodPlan plan, MethodInvocation invocation) throws Throwable {
        Call<Object> call = plan.call(invocation.getArguments());
        if (call == null) {
            return invocation.proceed();
        }
        return (Callable<@Nullable Object>) () -> Sneaky.run(() -> run(plan, call, () -> {
            Callable<?> made = (Callable<?>) Invocations.own(invocation).proceed();
            return made == null ? null : made.call();
        }));
    }

    private @Nullable Object run(MethodPlan plan, Call<Object> call, Body<Object> body) throws Throwable {
        if (TRANSACTIONS && plan.joinsCaller() && CallerTransaction.isActive()) {
            return runInCallers(plan, call, body);
        }
        HeldKeys.refuseOwn(call.key());
        First first = new First();
        Outcome<Object> outcome;
        try {
            outcome = plan.gate()
                    .<Object, Exception>run(
                            call, claim -> business(() -> first.keep(plan.shape(), HeldKeys.with(call.key(), body))));
        } catch (ReleasedAnswer released) {
            return released.answer();
        }
        return answer(plan, outcome, first);
    }

    /** Runs it for the engine, which takes exceptions and errors but nothing that is neither. */
    private static @Nullable Object business(Body<Object> body) throws Exception {
        try {
            return body.run();
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new UndeclaredThrowableException(e);
        }
    }

    static @Nullable Object answer(MethodPlan plan, Outcome<Object> outcome, First first) {
        if (outcome instanceof Outcome.Executed || outcome instanceof Outcome.Unprotected) {
            return first.result;
        } else if (outcome instanceof Outcome.Failed<Object> failed
                && failed.failure() instanceof ReleasedAnswer released) {
            return released.answer();
        }
        return plan.shape().replay(outcome.orElseThrow());
    }

    private @Nullable Object runInCallers(MethodPlan plan, Call<Object> call, Body<Object> body) throws Throwable {
        CallerTransaction.End earlier = CallerTransaction.earlier(call);
        if (earlier != null) {
            if (earlier.failure() != null) {
                throw earlier.failure();
            }
            return earlier.result();
        }
        HeldKeys.refuseOwn(call.key());
        Begun<Object> begun = plan.gate().begin(call);
        if (begun instanceof Begun.Answered<Object> answered) {
            return answer(plan, answered.outcome(), new First());
        }
        CallerTransaction transaction = CallerTransaction.join(call, ((Begun.Started<Object>) begun).claim(), executor);
        try {
            Object result = body.run();
            transaction.ended(new CallerTransaction.End(plan.shape().toStored(result), result, null));
            return result;
        } catch (ReleasedAnswer released) {
            transaction.ended(new CallerTransaction.End(null, null, released));
            return released.answer();
        } catch (Throwable failure) {
            transaction.ended(new CallerTransaction.End(null, null, failure));
            throw failure;
        }
    }

    /** Begun on the calling thread, as the method's own code is; settled when the stage completes. */
    private @Nullable Object stage(MethodPlan plan, MethodInvocation invocation) throws Throwable {
        Call<Object> call = plan.call(invocation.getArguments());
        if (call == null) {
            return invocation.proceed();
        }
        CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
        try {
            start(plan, call, invocation, answer);
        } catch (RuntimeException e) {
            answer.completeExceptionally(e);
        }
        return answer;
    }

    private void start(
            MethodPlan plan, Call<Object> call, MethodInvocation invocation, CompletableFuture<@Nullable Object> answer)
            throws Throwable {
        HeldKeys.refuseOwn(call.key());
        boolean joins = TRANSACTIONS && plan.joinsCaller() && CallerTransaction.isActive();
        Begun<Object> begun = plan.gate().begin(call);
        First first = new First();
        if (begun instanceof Begun.Answered<Object> answered) {
            answer.complete(answer(plan, answered.outcome(), first));
            return;
        }
        Claim<Object> claim = ((Begun.Started<Object>) begun).claim();
        CallerTransaction transaction = joins ? CallerTransaction.join(call, claim, executor) : null;
        CompletionStage<?> stage;
        try {
            stage = joins
                    ? (CompletionStage<?>) invocation.proceed()
                    : HeldKeys.with(call.key(), () -> (CompletionStage<?>) invocation.proceed());
        } catch (Throwable failure) {
            stage = CompletableFuture.failedFuture(failure);
        }
        if (stage == null) {
            stage = CompletableFuture.completedFuture(null);
        }
        // The stage may complete on a thread that must not wait, such as a driver's.
        var unused = stage.whenCompleteAsync(
                (value, failure) -> {
                    try {
                        if (transaction != null) {
                            endInCallers(plan, transaction, value, failure, answer);
                        } else {
                            Outcome<Object> outcome = ended(plan, claim, first, value, failure);
                            answer.complete(answer(plan, outcome, first));
                        }
                    } catch (Throwable e) {
                        answer.completeExceptionally(e);
                    }
                },
                transaction == null ? executor : Runnable::run);
    }

    private static Outcome<Object> ended(
            MethodPlan plan, Claim<Object> claim, First first, @Nullable Object value, @Nullable Throwable failure) {
        if (failure != null) {
            return claim.fail(Invocations.unwrapped(failure));
        }
        Object stored;
        try {
            stored = first.keep(plan.shape(), value);
        } catch (ReleasedAnswer released) {
            return claim.fail(released);
        }
        return claim.succeed(stored);
    }

    private static void endInCallers(
            MethodPlan plan,
            CallerTransaction transaction,
            @Nullable Object value,
            @Nullable Throwable failure,
            CompletableFuture<@Nullable Object> answer) {
        if (failure != null) {
            transaction.ended(new CallerTransaction.End(null, null, Invocations.unwrapped(failure)));
            answer.completeExceptionally(Invocations.unwrapped(failure));
            return;
        }
        try {
            transaction.ended(new CallerTransaction.End(plan.shape().toStored(value), value, null));
            answer.complete(value);
        } catch (ReleasedAnswer released) {
            transaction.ended(new CallerTransaction.End(null, null, released));
            answer.complete(released.answer());
        }
    }
}
