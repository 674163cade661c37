package io.oncegate.testkit;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.RecordMachine.Decision;
import io.oncegate.core.spi.RecordPurger;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.StoredRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The plainest store over the state machine: a map and one lock. A mutant breaks one of its guards. */
final class MachineStore implements RecordStore, RecordBrowser, RecordPurger {
    private static final long GAP_NANOS = 200_000;

    private final Object lock = new Object();
    private final Map<Object, StoredRecord> records = new HashMap<>();
    private final Map<Object, RecordId> ids = new HashMap<>();
    private final TestClock clock;
    private final long margin;
    private final Mutant mutant;

    MachineStore(TestClock clock, Duration margin, Mutant mutant) {
        this.clock = clock;
        this.margin = RecordMachine.micros(margin);
        this.mutant = mutant;
    }

    @Override
    public String name() {
        return "machine";
    }

    @Override
    public ClaimAnswer claim(ClaimRequest request) {
        return decide(request.id(), record -> mutant.claim(record, request, clock.micros()));
    }

    @Override
    public HolderAnswer renew(ClaimRef claim, Duration lease) {
        return decide(claim.id(), record -> mutant.renew(record, claim, lease, clock.micros()));
    }

    @Override
    public HolderAnswer settle(ClaimRef claim, Settlement settlement) {
        return decide(claim.id(), record -> mutant.settle(record, claim, settlement, clock.micros()));
    }

    @Override
    public HolderAnswer release(ClaimRef claim) {
        return decide(claim.id(), record -> mutant.release(record, claim, clock.micros()));
    }

    @Override
    public ForgetAnswer forget(RecordId id) {
        return decide(id, record -> mutant.forget(record, clock.micros()));
    }

    private <A> A decide(RecordId id, Function<@Nullable StoredRecord, Decision<A>> machine) {
        Object key = mutant.key(id);
        if (mutant.isAtomic(read(key), clock.micros())) {
            synchronized (lock) {
                return write(key, id, machine.apply(records.get(key)));
            }
        }
        Decision<A> decision = machine.apply(read(key));
        LockSupport.parkNanos(GAP_NANOS);
        synchronized (lock) {
            return write(key, id, decision);
        }
    }

    private @Nullable StoredRecord read(Object key) {
        synchronized (lock) {
            return records.get(key);
        }
    }

    private <A> A write(Object key, RecordId id, Decision<A> decision) {
        if (decision.record() == null) {
            records.remove(key);
        } else {
            records.put(key, decision.record());
            ids.put(key, id);
        }
        return decision.answer();
    }

    @Override
    public Purged purge(int limit) {
        int deleted = 0;
        int dropped = 0;
        synchronized (lock) {
            for (Object key : List.copyOf(records.keySet())) {
                StoredRecord record = records.get(key);
                RecordMachine.Sweep sweep = deleted + dropped < mutant.limit(limit)
                        ? mutant.sweep(record, clock.micros(), margin)
                        : RecordMachine.Sweep.KEEP;
                switch (sweep) {
                    case DELETE -> {
                        records.remove(key);
                        deleted++;
                    }
                    case DROP_RESULT -> {
                        records.put(key, Records.result(record, null, 0));
                        dropped++;
                    }
                    case KEEP -> {}
                }
            }
        }
        return new Purged(deleted, dropped);
    }

    @Override
    public Page browse(Query query) {
        List<Entry> entries = new ArrayList<>();
        synchronized (lock) {
            records.forEach((key, record) -> {
                if ((query.operation() == null || query.operation().equals(record.operation()))
                        && (query.state() == null || query.state() == record.state())) {
                    entries.add(entry(ids.get(key), record));
                }
            });
        }
        return new Page(entries, null);
    }

    @Override
    public Optional<Entry> find(RecordId id) {
        return Optional.ofNullable(read(mutant.key(id))).map(record -> entry(id, record));
    }

    private static Entry entry(RecordId id, StoredRecord record) {
        return Entry.of(id, record);
    }
}
