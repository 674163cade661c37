package io.oncegate.spring.lock;

import io.oncegate.core.lock.HeldLock;
import java.util.List;
import reactor.core.publisher.Mono;

/** The lock under which an annotated method's Mono or Flux runs: {@link CurrentLock} for Reactor's context. */
public final class ReactiveCurrentLock {
    private ReactiveCurrentLock() {}

    /** The innermost lock; an {@code IllegalStateException} if there is none. To be used inside of the method's own chain. */
    public static Mono<HeldLock> get() {
        return Mono.deferContextual(context -> {
            List<Hold> holds = ReactiveHolds.in(context);
            return holds.isEmpty()
                    ? Mono.error(
                            new IllegalStateException("this chain runs under no lock of an annotated method; call it"
                                    + " through the bean's proxy, and ask inside of the method's own chain"))
                    : Mono.just(new HeldView(holds.get(holds.size() - 1).lock()));
        });
    }

    /** The number of the acquisition, to be carried into the business's own write. */
    public static Mono<Long> fence() {
        return get().map(HeldLock::fence);
    }
}
