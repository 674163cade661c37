package io.oncegate.spring.lock;

import io.oncegate.core.lock.HeldLock;
import java.util.Optional;

/**
 * The lock under which the annotated method runs that this thread is in; of nested ones the innermost. For a Mono or Flux see
 * {@link ReactiveCurrentLock}. What is given cannot be ended: that is the annotation's.
 */
public final class CurrentLock {
    private CurrentLock() {}

    /**
     * The lock.
     *
     * @throws IllegalStateException if the thread is in no such method, or it runs unprotected because the store is down
     */
    public static HeldLock get() {
        return find().orElseThrow(() -> new IllegalStateException(
                "this thread runs under no lock of an annotated method; call it through the bean's"
                        + " proxy, and ask on the thread that runs the method"));
    }

    /** The lock, if there is one. */
    public static Optional<HeldLock> find() {
        Hold hold = ThreadHolds.innermost();
        return hold == null ? Optional.empty() : Optional.of(new HeldView(hold.lock()));
    }

    /**
     * The number of the acquisition, to be carried into the business's own write.
     *
     * @throws IllegalStateException as {@link #get()}
     */
    public static long fence() {
        return get().fence();
    }
}
