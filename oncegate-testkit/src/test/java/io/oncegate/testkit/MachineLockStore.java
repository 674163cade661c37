package io.oncegate.testkit;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockMachine.Decision;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockRow;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.memory.TimeSource;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordMachine;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The plainest lock store over the state machine: a map and one lock. A mutant breaks one of its guards. */
final class MachineLockStore implements LockStore {
    private static final long GAP_NANOS = 200_000;

    private record Watching(RecordId id, Runnable wake) {}

    private final Object lock = new Object();
    private final Map<Object, LockRow> rows = new HashMap<>();
    private final List<Watching> watches = new CopyOnWriteArrayList<>();
    private final TimeSource clock;
    private final long margin;
    private final LockMutant mutant;

    MachineLockStore(TimeSource clock, Duration margin, LockMutant mutant) {
        this.clock = clock;
        this.margin = RecordMachine.micros(margin);
        this.mutant = mutant;
    }

    @Override
    public String name() {
        return "machine";
    }

    @Override
    public LockAnswer acquire(LockRequest request) {
        return decide(request.id(), row -> mutant.acquire(row, request, clock.micros()));
    }

    @Override
    public HolderAnswer renew(ClaimRef held, Duration lease) {
        return decide(held.id(), row -> mutant.renew(row, held, lease, clock.micros()));
    }

    @Override
    public HolderAnswer end(ClaimRef held, LockEnd end) {
        HolderAnswer answer = decide(held.id(), row -> mutant.end(row, held, end, clock.micros()));
        if (answer == HolderAnswer.DONE && mutant.signals(end)) {
            watches.stream().filter(watching -> watching.id.equals(held.id())).forEach(watching -> watching.wake.run());
        }
        return answer;
    }

    @Override
    public OptionalLong pass(ClaimRef held, LockRequest next) {
        return decide(held.id(), row -> mutant.pass(row, held, next, clock.micros()));
    }

    @Override
    public Watch watch(RecordId id, Runnable wake) {
        Watching watching = new Watching(id, wake);
        watches.add(watching);
        return () -> {
            if (mutant.closesWatches()) {
                watches.remove(watching);
            }
        };
    }

    boolean keeps(RecordId id) {
        synchronized (lock) {
            return rows.containsKey(mutant.key(id));
        }
    }

    void sweep() {
        synchronized (lock) {
            rows.values().removeIf(row -> mutant.forgettable(row, clock.micros(), margin));
        }
    }

    private <A> A decide(RecordId id, Function<@Nullable LockRow, Decision<A>> machine) {
        Object key = mutant.key(id);
        if (mutant.isAtomic(read(key), clock.micros())) {
            synchronized (lock) {
                return write(key, machine.apply(rows.get(key)));
            }
        }
        Decision<A> decision = machine.apply(read(key));
        LockSupport.parkNanos(GAP_NANOS);
        synchronized (lock) {
            return write(key, decision);
        }
    }

    private @Nullable LockRow read(Object key) {
        synchronized (lock) {
            return rows.get(key);
        }
    }

    private <A> A write(Object key, Decision<A> decision) {
        LockRow after = decision.row();
        if (after == null) {
            rows.remove(key);
        } else {
            rows.put(key, after);
        }
        return decision.answer();
    }
}
