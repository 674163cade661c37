package io.oncegate.spring.annotation;

import io.oncegate.core.Call;
import io.oncegate.core.Outcome;
import io.oncegate.core.key.OperationKey;
import io.oncegate.spring.annotation.IdempotentInterceptor.First;
import io.oncegate.spring.internal.Invocations;
import io.oncegate.spring.internal.Sneaky;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Methods that return a Mono or a Flux: each subscription is a call, and the subscribing thread never waits. A subscriber
 * that cancels does not undo the call: it goes on to its end and is settled. A Flux is collected to a list first.
 */
final class ReactiveCalls {
    private static final Object HELD = HeldKeys.class.getName();

    private ReactiveCalls() {}

    static Object mono(MethodPlan plan, MethodInvocation invocation) {
        return Mono.deferContextual(context -> subscribe(plan, invocation, context, false));
    }

    static Object flux(MethodPlan plan, MethodInvocation invocation) {
        return Flux.deferContextual(
                context -> subscribe(plan, invocation, context, true).flatMapIterable(list -> (List<?>) list));
    }

    private static Mono<Object> subscribe(
            MethodPlan plan, MethodInvocation invocation, ContextView context, boolean many) {
        Call<Object> call = plan.call(invocation.getArguments());
        if (call == null) {
            return proceed(invocation, many);
        }
        HeldKeys.refuseOwn(call.key());
        Set<OperationKey> held = context.getOrDefault(HELD, Set.of());
        if (held != null && held.contains(call.key())) {
            return Mono.error(new RecursiveCallException(call.key()));
        }
        Set<OperationKey> inside = new HashSet<>(held == null ? Set.of() : held);
        inside.add(call.key());
        Context downstream = Context.of(context).put(HELD, Set.copyOf(inside));
        First first = new First();
        return Mono.create(sink -> {
            CompletionStage<Outcome<Object>> stage =
                    plan.gate().runAsync(call, claim -> started(plan, call, invocation, downstream, first, many));
            var unused = stage.whenComplete((outcome, failure) -> {
                try {
                    if (failure != null) {
                        sink.error(Invocations.unwrapped(failure));
                        return;
                    }
                    Object value = IdempotentInterceptor.answer(plan, outcome, first);
                    if (value == null) {
                        sink.success();
                    } else {
                        sink.success(value);
                    }
                } catch (Throwable e) {
                    sink.error(e);
                }
            });
        });
    }

    private static CompletableFuture<Object> started(
            MethodPlan plan,
            Call<Object> call,
            MethodInvocation invocation,
            Context context,
            First first,
            boolean many) {
        Mono<Object> business =
                Objects.requireNonNull(Sneaky.run(() -> HeldKeys.with(call.key(), () -> proceed(invocation, many))));
        return business.contextWrite(ignored -> context).toFuture().thenApply(value -> kept(plan, first, value));
    }

    @SuppressWarnings("NullAway") // a stage may complete with null
    private static Object kept(MethodPlan plan, First first, @Nullable Object value) {
        return first.keep(plan.shape(), value);
    }

    @SuppressWarnings("unchecked")
    private static Mono<Object> proceed(MethodInvocation invocation, boolean many) {
        MethodInvocation once =
                invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
        Object result = Sneaky.run(once::proceed);
        if (result == null) {
            return Mono.empty();
        }
        return many ? (Mono<Object>) (Mono<?>) ((Flux<?>) result).collectList() : (Mono<Object>) result;
    }
}
