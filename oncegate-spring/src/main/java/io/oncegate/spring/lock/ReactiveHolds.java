package io.oncegate.spring.lock;

import java.util.ArrayList;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Methods that return a Mono or a Flux: each subscription acquires the lock, on a thread of the bounded elastic scheduler,
 * and holds it until it completes, fails or is cancelled. The subscribing thread never waits.
 */
final class ReactiveHolds {
    private static final Object HOLDS = ReactiveHolds.class.getName();

    private ReactiveHolds() {}

    /** The holds under which a chain runs, the innermost last. */
    static List<Hold> in(ContextView context) {
        List<Hold> holds = context.getOrDefault(HOLDS, List.of());
        return holds == null ? List.of() : holds;
    }

    static Context with(Context context, List<Hold> holds) {
        return context.put(HOLDS, holds);
    }

    static Object mono(LockPlan plan, MethodInvocation invocation) {
        return Mono.deferContextual(context -> {
            ReactiveCall call = new ReactiveCall(plan, invocation, outer(context));
            return Mono.usingWhen(call.enter(), call::mono, call::completed, call::failed, call::cancelled);
        });
    }

    static Object flux(LockPlan plan, MethodInvocation invocation) {
        return Flux.deferContextual(context -> {
            ReactiveCall call = new ReactiveCall(plan, invocation, outer(context));
            return Flux.usingWhen(call.enter(), call::flux, call::completed, call::failed, call::cancelled);
        });
    }

    /** Also those of the thread that subscribes: it may wait for the chain's end. */
    private static List<Hold> outer(ContextView context) {
        List<Hold> outer = new ArrayList<>(ThreadHolds.running());
        outer.addAll(in(context));
        return outer;
    }
}
