package io.oncegate.core.memory;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockMachine;
import io.oncegate.core.lock.LockMachine.Decision;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockRow;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordMachine;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps locks in this process's memory: for tests, and for services that run as one single process. Thread-safe.
 *
 * <ol>
 *   <li>Each call reads the lock and then the time, decides by {@link LockMachine}, and replaces the lock if it is still the
 *       same; else it begins again.
 *   <li>An acquisition sweeps two other locks, so that what is free goes without a thread of its own.
 *   <li>At its bound the store sweeps all; if that makes no room, it refuses. It never drops a lock that is held.
 * </ol>
 */
public final class MemoryLockStore implements LockStore {
    /** The most locks, unless said otherwise. */
    public static final int DEFAULT_MAX_LOCKS = 100_000;

    private static final int SWEEP_STEP = 2;

    private final ConcurrentHashMap<RecordId, LockRow> locks = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<RecordId, Set<Runnable>> watches = new ConcurrentHashMap<>();
    private final ReentrantLock sweeping = new ReentrantLock();
    private final int maxLocks;
    private final TimeSource time;
    private final long margin;
    private Iterator<Map.Entry<RecordId, LockRow>> hand = locks.entrySet().iterator();

    /** A store with the default bound and the system's time. */
    public MemoryLockStore() {
        this(DEFAULT_MAX_LOCKS, TimeSource.system(), MemoryRecordStore.DEFAULT_PURGE_MARGIN);
    }

    /**
     * A store.
     *
     * @param maxLocks the most locks, held and lately held, 1 or more; acquisitions at the same instant may go over it by
     *     their number
     * @param time the store's clock; it is the only one that counts
     * @param purgeMargin how far that clock has to have passed a lock's fence before the lock may go: more than it ever
     *     steps back
     */
    public MemoryLockStore(int maxLocks, TimeSource time, Duration purgeMargin) {
        if (maxLocks < 1) {
            throw new IllegalArgumentException("a memory store needs room for a lock or more, not " + maxLocks);
        }
        this.maxLocks = maxLocks;
        this.time = time;
        this.margin = Math.max(1, RecordMachine.micros(purgeMargin));
    }

    @Override
    public String name() {
        return "memory";
    }

    /** How many locks there are, held and lately held. */
    public long size() {
        return locks.mappingCount();
    }

    @Override
    public LockAnswer acquire(LockRequest request) {
        if (locks.mappingCount() >= maxLocks && !locks.containsKey(request.id())) {
            makeRoom();
        }
        LockAnswer answer = decide(request.id(), row -> LockMachine.acquire(row, request, time.micros()));
        sweepSome();
        return answer;
    }

    @Override
    public HolderAnswer renew(ClaimRef held, Duration lease) {
        return decide(held.id(), row -> LockMachine.renew(row, held, lease, time.micros()));
    }

    @Override
    public HolderAnswer end(ClaimRef held, LockEnd end) {
        HolderAnswer answer = decide(held.id(), row -> LockMachine.end(row, held, end, time.micros()));
        if (answer == HolderAnswer.DONE) {
            Set<Runnable> watching = watches.get(held.id());
            if (watching != null) {
                watching.forEach(Runnable::run);
            }
        }
        return answer;
    }

    @Override
    public OptionalLong pass(ClaimRef held, LockRequest next) {
        return decide(held.id(), row -> LockMachine.pass(row, held, next, time.micros()));
    }

    @Override
    public Watch watch(RecordId id, Runnable wake) {
        watches.compute(id, (same, watching) -> {
            Set<Runnable> all = watching == null ? ConcurrentHashMap.newKeySet() : watching;
            all.add(wake);
            return all;
        });
        return () -> watches.computeIfPresent(id, (same, watching) -> {
            watching.remove(wake);
            return watching.isEmpty() ? null : watching;
        });
    }

    private <A> A decide(RecordId id, Function<@Nullable LockRow, Decision<A>> machine) {
        while (true) {
            LockRow before = locks.get(id);
            Decision<A> decision = machine.apply(before);
            LockRow after = decision.row();
            if (after == before || replaced(id, before, after)) {
                return decision.answer();
            }
        }
    }

    private boolean replaced(RecordId id, @Nullable LockRow before, @Nullable LockRow after) {
        if (before == null) {
            return after == null || locks.putIfAbsent(id, after) == null;
        }
        return after == null ? locks.remove(id, before) : locks.replace(id, before, after);
    }

    /** Sweeps the next locks of an endless round: more than an acquisition adds. */
    private void sweepSome() {
        if (!sweeping.tryLock()) {
            return;
        }
        try {
            for (int i = 0; i < SWEEP_STEP; i++) {
                if (!hand.hasNext()) {
                    hand = locks.entrySet().iterator();
                    return;
                }
                sweep(hand.next());
            }
        } finally {
            sweeping.unlock();
        }
    }

    private void sweep(Map.Entry<RecordId, LockRow> found) {
        if (LockMachine.forgettable(found.getValue(), time.micros(), margin)) {
            locks.remove(found.getKey(), found.getValue());
        }
    }

    private void makeRoom() {
        sweeping.lock();
        try {
            if (locks.mappingCount() < maxLocks) {
                return;
            }
            locks.entrySet().forEach(this::sweep);
            if (locks.mappingCount() >= maxLocks) {
                throw new StoreUnavailableException(
                        name(),
                        "full with " + maxLocks + " locks that are held or were lately; allow more, or use Redis or a"
                                + " database",
                        null);
            }
        } finally {
            sweeping.unlock();
        }
    }
}
