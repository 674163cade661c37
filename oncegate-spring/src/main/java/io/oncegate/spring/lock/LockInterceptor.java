package io.oncegate.spring.lock;

import io.oncegate.core.key.OperationKey;
import io.oncegate.spring.internal.Body;
import io.oncegate.spring.internal.Invocations;
import io.oncegate.spring.internal.MethodPlans;
import io.oncegate.spring.internal.Sneaky;
import io.oncegate.spring.lock.Entrance.Inside;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/** Runs the calls of annotated methods under their locks. Thread-safe. */
final class LockInterceptor implements MethodInterceptor {
    private final MethodPlans<LockPlan> plans;
    private final Executor executor;

    /**
     * Creates the interceptor.
     *
     * @param executor ends holds whose work ends on a thread that must not wait
     */
    LockInterceptor(MethodPlans<LockPlan> plans, Executor executor) {
        this.plans = plans;
        this.executor = executor;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        Class<?> type = target == null ? invocation.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
        LockPlan plan = plans.of(invocation.getMethod(), type);
        return switch (plan.shape().kind()) {
            case VALUE -> run(plan, plan.key(invocation.getArguments()), invocation::proceed);
            case FUTURE -> future(plan, invocation);
            case CALLABLE -> callable(plan, invocation);
            case STAGE -> stage(plan, invocation);
            case MONO -> ReactiveHolds.mono(plan, Invocations.own(invocation));
            case FLUX -> ReactiveHolds.flux(plan, Invocations.own(invocation));
        };
    }

    private static @Nullable Object run(LockPlan plan, OperationKey key, Body<Object> body) throws Throwable {
        Entrance entrance = LockDoor.enter(plan, key);
        if (entrance instanceof Entrance.Answer answer) {
            return answer.value();
        } else if (!(entrance instanceof Inside inside)) {
            return body.run();
        } else {
            Object result;
            try {
                result = ThreadHolds.with(List.of(inside.hold()), body);
            } catch (Throwable failure) {
                inside.ended(plan.threw(failure));
                throw failure;
            }
            inside.returned(result);
            return result;
        }
    }

    /** Of a method that is run on another thread as a whole: the executor waits for its future anyway. */
    private static Object future(LockPlan plan, MethodInvocation invocation) throws Throwable {
        OperationKey key = plan.key(invocation.getArguments());
        return CompletableFuture.completedFuture(
                run(plan, key, () -> Invocations.awaited((Future<?>) invocation.proceed())));
    }

    /** The key is made now, the lock acquired when it is called. */
    private static Object callable(LockPlan plan, MethodInvocation invocation) {
        OperationKey key = plan.key(invocation.getArguments());
        MethodInvocation own = Invocations.own(invocation);
        return (Callable<@Nullable Object>) () -> Sneaky.run(() -> run(plan, key, () -> {
            Callable<?> made = (Callable<?>) Invocations.own(own).proceed();
            return made == null ? null : made.call();
        }));
    }

    /** Begun on the calling thread, as the method's own code is; held until the stage completes. */
    private @Nullable Object stage(LockPlan plan, MethodInvocation invocation) throws Throwable {
        OperationKey key = plan.key(invocation.getArguments());
        Entrance entrance;
        try {
            entrance = LockDoor.enter(plan, key);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        if (entrance instanceof Entrance.Answer answer) {
            return CompletableFuture.completedFuture(answer.value());
        } else if (!(entrance instanceof Inside inside)) {
            return invocation.proceed();
        } else {
            return followed(plan, inside, invocation);
        }
    }

    private Object followed(LockPlan plan, Inside inside, MethodInvocation invocation) {
        CompletionStage<?> stage;
        try {
            stage = ThreadHolds.with(List.of(inside.hold()), () -> (CompletionStage<?>) invocation.proceed());
        } catch (Throwable failure) {
            stage = CompletableFuture.failedFuture(failure);
        }
        if (stage == null) {
            stage = CompletableFuture.completedFuture(null);
        }
        CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
        // The stage may complete on a thread that must not wait, such as a driver's.
        var unused = stage.whenCompleteAsync(
                (value, failure) -> {
                    try {
                        if (failure != null) {
                            inside.ended(plan.threw(Invocations.unwrapped(failure)));
                            answer.completeExceptionally(Invocations.unwrapped(failure));
                        } else {
                            inside.returned(value);
                            answer.complete(value);
                        }
                    } catch (Throwable e) {
                        answer.completeExceptionally(e);
                    }
                },
                executor);
        return answer;
    }
}
