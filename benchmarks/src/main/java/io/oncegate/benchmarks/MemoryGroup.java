package io.oncegate.benchmarks;

import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The memory store, and the whole engine over it, against a {@link ConcurrentHashMap}.
 *
 * <p>Both sides stay small: the map removes each key again, and our records expire at once and are swept by the store
 * itself. So the time for sweeping is in our figures. The store's rows use keys that were made before; the rows with a
 * whole call make a key, its digest and a fingerprint for each.
 */
final class MemoryGroup implements Group {
    private static final int BATCH = 100;
    private static final int RING = 4096;
    private static final Duration AT_ONCE = Duration.ofNanos(1000);
    private static final Settlement SHORT_LIVED = Orders.settlement(AT_ONCE);
    private static final Payload VALUE = Payload.of(Orders.RESULT_BYTES);
    private static final Operation<String> SHORT = Operation.named(Orders.NAME)
            .returning(String.class)
            .retention(Duration.ofMillis(1))
            .build();

    private final List<Row> rows;
    private ConcurrentHashMap<Object, Object> map = new ConcurrentHashMap<>();
    private MemoryRecordStore store = new MemoryRecordStore();
    private Oncegate engine = Oncegate.claimed(store).build();

    MemoryGroup(Plan plan) {
        this.rows = Stream.of(1, plan.threads()).flatMap(this::rows).toList();
    }

    private Stream<Row> rows(int threads) {
        return Stream.of(
                        Row.of(
                                "memory, noise: putIfAbsent + get + remove to itself",
                                threads,
                                this::putGetRemove,
                                this::putGetRemove),
                        Row.of(
                                        "memory, store: claim + settle to putIfAbsent + get + remove",
                                        threads,
                                        this::putGetRemove,
                                        this::claimSettle)
                                .goal(Goal.ratio(0.5))
                                .known("13 M/s claim + settle + remove, 1 thread"),
                        Row.of("memory, store: replay to get", threads, this::get, this::replay),
                        Row.of(
                                "memory, engine: whole first call to putIfAbsent + get + remove",
                                threads,
                                this::putGetRemoveNewKey,
                                this::firstCall),
                        Row.of("memory, engine: whole replay to get", threads, this::getByText, this::replayCall))
                .map(row -> row.batch(BATCH));
    }

    /** Goes round a thread's keys. Each body has its own loop over it, so that none pays for the others' kinds of keys. */
    private static final class Cursor {
        private int at;

        int next() {
            at = (at + 1) % RING;
            return at;
        }
    }

    private static String name(int thread, int key) {
        return "key-" + thread + "-" + key;
    }

    private static RecordId[] ids(int thread) {
        RecordId[] ids = new RecordId[RING];
        for (int i = 0; i < RING; i++) {
            ids[i] = Orders.id(name(thread, i));
        }
        return ids;
    }

    private static ClaimRequest[] requests(int thread, Duration retention) {
        ClaimRequest[] requests = new ClaimRequest[RING];
        for (int i = 0; i < RING; i++) {
            requests[i] = Orders.request(Orders.id(name(thread, i)), retention);
        }
        return requests;
    }

    private Body putGetRemove(int thread) {
        RecordId[] ids = ids(thread);
        ConcurrentHashMap<Object, Object> present = map;
        Cursor cursor = new Cursor();
        return () -> {
            for (int i = 0; i < BATCH; i++) {
                putGetRemove(present, ids[cursor.next()]);
            }
        };
    }

    private Body putGetRemoveNewKey(int thread) {
        ConcurrentHashMap<Object, Object> present = map;
        return () -> {
            for (int i = 0; i < BATCH; i++) {
                putGetRemove(present, Keys.next());
            }
        };
    }

    private static void putGetRemove(ConcurrentHashMap<Object, Object> map, Object key) {
        require(map.putIfAbsent(key, VALUE) == null);
        require(map.get(key) == VALUE);
        map.remove(key);
    }

    private Body get(int thread) {
        RecordId[] ids = ids(thread);
        ConcurrentHashMap<Object, Object> present = map;
        for (RecordId id : ids) {
            present.put(id, VALUE);
        }
        Cursor cursor = new Cursor();
        return () -> {
            for (int i = 0; i < BATCH; i++) {
                require(present.get(ids[cursor.next()]) == VALUE);
            }
        };
    }

    private Body getByText(int thread) {
        String[] names = names(thread);
        ConcurrentHashMap<Object, Object> present = map;
        for (String name : names) {
            present.put(name, VALUE);
        }
        Cursor cursor = new Cursor();
        return () -> {
            for (int i = 0; i < BATCH; i++) {
                require(present.get(names[cursor.next()]) == VALUE);
            }
        };
    }

    private static String[] names(int thread) {
        String[] names = new String[RING];
        for (int i = 0; i < RING; i++) {
            names[i] = name(thread, i);
        }
        return names;
    }

    private Body claimSettle(int thread) {
        ClaimRequest[] requests = requests(thread, AT_ONCE);
        MemoryRecordStore present = store;
        Cursor cursor = new Cursor();
        return () -> {
            for (int i = 0; i < BATCH; i++) {
                settle(present, requests[cursor.next()], SHORT_LIVED);
            }
        };
    }

    private static void settle(MemoryRecordStore store, ClaimRequest request, Settlement settlement) {
        ClaimAnswer answer = store.claim(request);
        if (answer instanceof ClaimAnswer.Granted granted) {
            ClaimRef claim = new ClaimRef(request.id(), granted.fence(), request.attempt());
            require(store.settle(claim, settlement) == HolderAnswer.DONE);
        } else {
            throw new IllegalStateException("Not granted: " + answer);
        }
    }

    private Body replay(int thread) {
        MemoryRecordStore present = store;
        for (ClaimRequest first : requests(thread, Orders.DAY)) {
            settle(present, first, Orders.SETTLED);
        }
        ClaimRequest[] again = requests(thread, Orders.DAY);
        Cursor cursor = new Cursor();
        return () -> {
            for (int i = 0; i < BATCH; i++) {
                require(present.claim(again[cursor.next()]) instanceof ClaimAnswer.Replay);
            }
        };
    }

    private Body firstCall(int thread) {
        Oncegate present = engine;
        return () -> {
            for (int i = 0; i < BATCH; i++) {
                Outcome<String> outcome = present.run(Orders.call(SHORT, Keys.next()), claim -> Orders.RESULT);
                require(outcome instanceof Outcome.Executed);
            }
        };
    }

    private Body replayCall(int thread) {
        Oncegate present = engine;
        String[] names = names(thread);
        for (String name : names) {
            Outcome<String> first = present.run(Orders.call(Orders.WITH_RESULT, name), claim -> Orders.RESULT);
            require(first instanceof Outcome.Executed);
        }
        Cursor cursor = new Cursor();
        return () -> {
            for (int i = 0; i < BATCH; i++) {
                Outcome<String> outcome =
                        present.run(Orders.call(Orders.WITH_RESULT, names[cursor.next()]), claim -> "not run");
                require(outcome instanceof Outcome.Replayed);
            }
        };
    }

    private static void require(boolean done) {
        if (!done) {
            throw new IllegalStateException("The path did not do what it is measured for");
        }
    }

    @Override
    public String about() {
        return "memory: no server; the map and the store hold 300 B values";
    }

    @Override
    public List<Row> rows() {
        return rows;
    }

    @Override
    public void clean() {
        engine.close();
        map = new ConcurrentHashMap<>();
        store = new MemoryRecordStore();
        engine = Oncegate.claimed(store).build();
    }

    @Override
    public void close() {
        engine.close();
    }
}
