package io.oncegate.core.memory;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.MarkAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.RecordMachine.Decision;
import io.oncegate.core.spi.RecordMachine.Sweep;
import io.oncegate.core.spi.RecordMarker;
import io.oncegate.core.spi.RecordPurger;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.StoredRecord;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps records in this process's memory: for tests, and for a service that is one process and may forget on restart. A
 * second instance of the service does not see them. Thread-safe.
 *
 * <p>Protocol:
 *
 * <ol>
 *   <li>Each call reads the record and then the time, decides by {@link RecordMachine}, and replaces the record if it is
 *       still the same; else it begins again. A call that changes nothing takes no lock.
 *   <li>A claim that is granted sweeps two other records, so that the map shrinks without a thread of its own.
 *   <li>Over its bound of result bytes it drops the oldest results: their records answer <em>done, no result</em>.
 *   <li>Over its bound of records it sweeps all that have expired; if that frees none, the claim fails with {@link
 *       StoreUnavailableException}. A record that still answers, or is running, is never evicted: that would let an effect
 *       happen again.
 * </ol>
 */
public final class MemoryRecordStore implements RecordStore, RecordBrowser, RecordPurger, RecordMarker {
    /** The most records, unless said otherwise. */
    public static final int DEFAULT_MAX_RECORDS = 100_000;

    /** The most bytes of all results together, unless said otherwise. */
    public static final long DEFAULT_MAX_RESULT_BYTES = 64L * 1024 * 1024;

    /** The margin before a record may go, unless said otherwise: the system's time source never steps back. */
    public static final Duration DEFAULT_PURGE_MARGIN = Duration.ofMillis(1);

    private static final int SWEEP_STEP = 2;
    private static final int QUEUE_SLACK = 1024;

    private final ConcurrentHashMap<RecordId, StoredRecord> records = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<ClaimRef> withResult = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicInteger results = new AtomicInteger();
    private final AtomicLong resultBytes = new AtomicLong();
    private final ReentrantLock sweeping = new ReentrantLock();
    private final TimeSource time;
    private final int maxRecords;
    private final long maxResultBytes;
    private final long margin;
    private Iterator<Map.Entry<RecordId, StoredRecord>> hand =
            records.entrySet().iterator();

    /** A store with the default bounds and the system's time. */
    public MemoryRecordStore() {
        this(DEFAULT_MAX_RECORDS, DEFAULT_MAX_RESULT_BYTES, TimeSource.system(), DEFAULT_PURGE_MARGIN);
    }

    /**
     * A store.
     *
     * @param maxRecords the most records, 1 or more; claims at the same instant may go over it by their number
     * @param maxResultBytes the most bytes of all results together, 0 or more
     * @param time the store's clock; it is the only one that counts
     * @param purgeMargin how far that clock has to have passed a record's fence before the record may go: more than it
     *     ever steps back
     */
    public MemoryRecordStore(int maxRecords, long maxResultBytes, TimeSource time, Duration purgeMargin) {
        if (maxRecords < 1 || maxResultBytes < 0) {
            throw new IllegalArgumentException("a memory store needs room for a record or more, and no negative bytes");
        }
        this.maxRecords = maxRecords;
        this.maxResultBytes = maxResultBytes;
        this.time = time;
        this.margin = Math.max(1, RecordMachine.micros(purgeMargin));
    }

    @Override
    public String name() {
        return "memory";
    }

    /** How many records there are, settled, running and free. */
    public long size() {
        return records.mappingCount();
    }

    /** How many bytes all results have together. */
    public long resultBytes() {
        return resultBytes.get();
    }

    @Override
    public ClaimAnswer claim(ClaimRequest request) {
        if (records.mappingCount() >= maxRecords && !records.containsKey(request.id())) {
            makeRoom();
        }
        ClaimAnswer answer = decide(request.id(), record -> RecordMachine.claim(record, request, time.micros()));
        if (answer instanceof ClaimAnswer.Granted) {
            sweepSome();
        }
        return answer;
    }

    @Override
    public HolderAnswer renew(ClaimRef claim, Duration lease) {
        return decide(claim.id(), record -> RecordMachine.renew(record, claim, lease, time.micros()));
    }

    @Override
    public HolderAnswer settle(ClaimRef claim, Settlement settlement) {
        HolderAnswer answer =
                decide(claim.id(), record -> RecordMachine.settle(record, claim, settlement, time.micros()));
        if (answer == HolderAnswer.DONE && settlement.result() != null) {
            withResult.add(claim);
            if (queued.incrementAndGet() > 2 * results.get() + QUEUE_SLACK) {
                forgetGoneResults();
            }
            dropOldestResults();
        }
        return answer;
    }

    @Override
    public HolderAnswer release(ClaimRef claim) {
        return decide(claim.id(), record -> RecordMachine.release(record, claim, time.micros()));
    }

    @Override
    public ForgetAnswer forget(RecordId id) {
        return decide(id, record -> RecordMachine.forget(record, time.micros()));
    }

    @Override
    public MarkAnswer mark(RecordId id, AttemptId attempt, Duration lease) {
        return decide(id, record -> RecordMachine.mark(record, attempt, lease, time.micros()));
    }

    @Override
    public Optional<Entry> find(RecordId id) {
        return Optional.ofNullable(records.get(id)).map(record -> Entry.of(id, record));
    }

    /** {@inheritDoc} Pages go by the records' ids. */
    @Override
    public Page browse(Query query) {
        String after = query.after() == null ? "" : query.after();
        TreeMap<String, Entry> first = new TreeMap<>();
        for (Map.Entry<RecordId, StoredRecord> found : records.entrySet()) {
            StoredRecord record = found.getValue();
            String position = found.getKey().toString();
            if (position.compareTo(after) > 0
                    && (query.operation() == null || record.operation().equals(query.operation()))
                    && (query.state() == null || record.state() == query.state())) {
                first.put(position, Entry.of(found.getKey(), record));
                if (first.size() > query.limit() + 1) {
                    first.pollLastEntry();
                }
            }
        }
        boolean more = first.size() > query.limit();
        if (more) {
            first.pollLastEntry();
        }
        return new Page(List.copyOf(first.values()), more ? first.lastKey() : null);
    }

    @Override
    public Purged purge(int limit) {
        int deleted = 0;
        int dropped = 0;
        long now = time.micros();
        for (Map.Entry<RecordId, StoredRecord> found : records.entrySet()) {
            if (deleted + dropped >= limit) {
                break;
            }
            switch (sweep(found, now)) {
                case DELETE -> deleted++;
                case DROP_RESULT -> dropped++;
                case KEEP -> {}
            }
        }
        return new Purged(deleted, dropped);
    }

    private <A> A decide(RecordId id, Function<@Nullable StoredRecord, Decision<A>> machine) {
        while (true) {
            StoredRecord before = records.get(id);
            Decision<A> decision = machine.apply(before);
            StoredRecord after = decision.record();
            if (after == before || replaced(id, before, after)) {
                return decision.answer();
            }
        }
    }

    /** Whether the record was still what it was decided on, and has become what was decided. */
    private boolean replaced(RecordId id, @Nullable StoredRecord before, @Nullable StoredRecord after) {
        boolean done;
        if (before == null) {
            done = after == null || records.putIfAbsent(id, after) == null;
        } else {
            done = after == null ? records.remove(id, before) : records.replace(id, before, after);
        }
        if (done) {
            count(before, after);
        }
        return done;
    }

    private void count(@Nullable StoredRecord before, @Nullable StoredRecord after) {
        long change = resultSize(after) - resultSize(before);
        if (change != 0) {
            resultBytes.addAndGet(change);
        }
        int more = (hasResult(after) ? 1 : 0) - (hasResult(before) ? 1 : 0);
        if (more != 0) {
            results.addAndGet(more);
        }
    }

    private static boolean hasResult(@Nullable StoredRecord record) {
        return record != null && record.state().settled() && record.result() != null;
    }

    private static long resultSize(@Nullable StoredRecord record) {
        Payload result = record == null || !record.state().settled() ? null : record.result();
        return result == null ? 0 : result.size();
    }

    private void dropOldestResults() {
        while (resultBytes.get() > maxResultBytes) {
            ClaimRef oldest = withResult.poll();
            if (oldest == null) {
                return;
            }
            queued.decrementAndGet();
            StoredRecord record = records.get(oldest.id());
            while (record != null && record.heldBy(oldest) && hasResult(record)) {
                record = replaced(oldest.id(), record, withoutResult(record)) ? null : records.get(oldest.id());
            }
        }
    }

    /** Takes the claims off the queue whose results have gone otherwise, so that the results bound it. */
    private void forgetGoneResults() {
        if (!sweeping.tryLock()) {
            return;
        }
        try {
            for (Iterator<ClaimRef> claims = withResult.iterator(); claims.hasNext(); ) {
                ClaimRef claim = claims.next();
                StoredRecord record = records.get(claim.id());
                if (record == null || !record.heldBy(claim) || !hasResult(record)) {
                    claims.remove();
                    queued.decrementAndGet();
                }
            }
        } finally {
            sweeping.unlock();
        }
    }

    /** Sweeps a record that was found so; one that has changed meanwhile is left for the next round. */
    private Sweep sweep(Map.Entry<RecordId, StoredRecord> found, long now) {
        StoredRecord record = found.getValue();
        Sweep sweep = RecordMachine.sweep(record, now, margin);
        if (sweep == Sweep.KEEP) {
            return sweep;
        }
        StoredRecord after = sweep == Sweep.DELETE ? null : withoutResult(record);
        return replaced(found.getKey(), record, after) ? sweep : Sweep.KEEP;
    }

    /** Sweeps the next few records of an endless round: more than a claim adds. */
    private void sweepSome() {
        if (!sweeping.tryLock()) {
            return;
        }
        try {
            long now = time.micros();
            for (int i = 0; i < SWEEP_STEP; i++) {
                if (!hand.hasNext()) {
                    hand = records.entrySet().iterator();
                    return;
                }
                sweep(hand.next(), now);
            }
        } finally {
            sweeping.unlock();
        }
    }

    private void makeRoom() {
        sweeping.lock();
        try {
            if (records.mappingCount() < maxRecords) {
                return;
            }
            purge(Integer.MAX_VALUE);
            if (records.mappingCount() >= maxRecords) {
                throw new StoreUnavailableException(
                        name(),
                        "full with " + maxRecords
                                + " records that still answer; allow more, shorten the retention, or use"
                                + " Redis or a database",
                        null);
            }
        } finally {
            sweeping.unlock();
        }
    }

    private static StoredRecord withoutResult(StoredRecord record) {
        return new StoredRecord(
                record.operation(),
                record.state(),
                record.fence(),
                record.attempt(),
                record.fingerprint(),
                record.leaseEnd(),
                record.retention(),
                record.expiresAt(),
                null,
                0);
    }
}
