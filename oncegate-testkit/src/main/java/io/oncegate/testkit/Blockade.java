package io.oncegate.testkit;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Holds one caller at a {@link CrashPoint}, or at a call of a faulty store, until the test lets it go. Thread-safe. */
public final class Blockade {
    /** How long either side waits for the other. */
    public static final Duration LIMIT = Duration.ofSeconds(60);

    private final Object point;
    private final CountDownLatch arrived = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile @Nullable RuntimeException failure;

    Blockade(Object point) {
        this.point = point;
    }

    /**
     * Waits until somebody is held.
     *
     * @throws AssertionError after {@link #LIMIT}
     */
    public void awaitArrival() {
        await(arrived, "nobody has come to ");
    }

    /** Whether somebody is, or was, held. */
    public boolean hasArrived() {
        return arrived.getCount() == 0;
    }

    /** Lets the held one go on. */
    public void release() {
        released.countDown();
    }

    /** Lets the held one go on by throwing this. */
    public void releaseWith(RuntimeException thrown) {
        failure = thrown;
        released.countDown();
    }

    void arrive() {
        arrived.countDown();
        await(released, "nobody has released ");
        RuntimeException thrown = failure;
        if (thrown != null) {
            throw thrown;
        }
    }

    private void await(CountDownLatch latch, String complaint) {
        try {
            if (!latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError(complaint + point + " within " + LIMIT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted at " + point, e);
        }
    }
}
