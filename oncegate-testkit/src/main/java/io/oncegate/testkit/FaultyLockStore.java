package io.oncegate.testkit;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lock store that fails when told: a call that never arrives, a reply that is lost after the call took effect, a call that
 * takes long, or a store that is down. Thread-safe.
 *
 * <pre>{@code
 * FaultyLockStore store = new FaultyLockStore(new MemoryLockStore());
 * Locks locks = LeasedLocks.of(store);
 * store.loseNextReply(FaultyLockStore.Method.END);
 * }</pre>
 */
public final class FaultyLockStore implements LockStore {
    private final LockStore store;
    private final Map<Method, Calls> calls = new EnumMap<>(Method.class);
    private volatile boolean down;

    /** The calls of a store. */
    public enum Method {
        /** {@link LockStore#acquire}. */
        ACQUIRE,
        /** {@link LockStore#renew}. */
        RENEW,
        /** {@link LockStore#end}. */
        END,
        /** {@link LockStore#pass}. */
        PASS
    }

    /** What is wanted of the next calls of a method. */
    private static final class Calls {
        private final AtomicInteger made = new AtomicInteger();
        private final Faults before = new Faults();
        private final Faults after = new Faults();
    }

    /** What is wanted at one side of a call. */
    private static final class Faults {
        private int failures;
        private @Nullable Blockade blockade;

        synchronized void fail(int times) {
            failures = times;
        }

        synchronized Blockade block(Object where) {
            blockade = new Blockade(where);
            return blockade;
        }

        synchronized void clear() {
            failures = 0;
            blockade = null;
        }

        synchronized @Nullable Blockade takeBlockade() {
            Blockade taken = blockade;
            blockade = null;
            return taken;
        }

        synchronized boolean takeFailure() {
            return failures > 0 && failures-- > 0;
        }
    }

    /** A store that does not fail yet. */
    public FaultyLockStore(LockStore store) {
        this.store = store;
        for (Method method : Method.values()) {
            calls.put(method, new Calls());
        }
    }

    /** The next calls of this method, as many, never arrive. */
    public void fail(Method method, int times) {
        of(method).before.fail(times);
    }

    /** The next call of this method never arrives. */
    public void failNext(Method method) {
        fail(method, 1);
    }

    /** The next calls of this method, as many, take effect, and their replies are lost. */
    public void loseReplies(Method method, int times) {
        of(method).after.fail(times);
    }

    /** The next call of this method takes effect, and its reply is lost. */
    public void loseNextReply(Method method) {
        loseReplies(method, 1);
    }

    /** The next call of this method waits before it is sent. */
    public Blockade pauseNext(Method method) {
        return of(method).before.block(method);
    }

    /** The next call of this method takes effect, and its reply waits. */
    public Blockade pauseNextReply(Method method) {
        return of(method).after.block(method);
    }

    /** Whether no call arrives at all, and no signal is heard. */
    public void down(boolean isDown) {
        this.down = isDown;
    }

    /** Fails no more; does not release who waits. */
    public void heal() {
        down = false;
        calls.values().forEach(each -> {
            each.before.clear();
            each.after.clear();
        });
    }

    /** How often this method was called, with or without success. */
    public int calls(Method method) {
        return of(method).made.get();
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public LockAnswer acquire(LockRequest request) {
        return call(Method.ACQUIRE, () -> store.acquire(request));
    }

    @Override
    public HolderAnswer renew(ClaimRef held, Duration lease) {
        return call(Method.RENEW, () -> store.renew(held, lease));
    }

    @Override
    public HolderAnswer end(ClaimRef held, LockEnd end) {
        return call(Method.END, () -> store.end(held, end));
    }

    @Override
    public OptionalLong pass(ClaimRef held, LockRequest next) {
        return call(Method.PASS, () -> store.pass(held, next));
    }

    @Override
    public @Nullable Watch watch(RecordId id, Runnable wake) {
        return down
                ? null
                : store.watch(id, () -> {
                    if (!down) {
                        wake.run();
                    }
                });
    }

    private <A> A call(Method method, Supplier<A> call) {
        Calls these = of(method);
        these.made.incrementAndGet();
        meet(these.before, method);
        A answer = call.get();
        meet(these.after, method);
        return answer;
    }

    private void meet(Faults faults, Method method) {
        Blockade blockade = faults.takeBlockade();
        if (blockade != null) {
            blockade.arrive();
        }
        if (down || faults.takeFailure()) {
            throw new StoreUnavailableException("faulty", "a test wants no answer to " + method, null);
        }
    }

    private Calls of(Method method) {
        return Objects.requireNonNull(calls.get(method));
    }
}
