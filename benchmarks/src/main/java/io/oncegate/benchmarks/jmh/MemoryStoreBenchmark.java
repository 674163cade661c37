package io.oncegate.benchmarks.jmh;

import io.oncegate.core.Operation;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimAnswer.Granted;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** The memory store's transitions against a map. Records expire at once and are swept by the store. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class MemoryStoreBenchmark {
    private static final int RING = 4096;
    private static final Payload VALUE = Payload.of(new byte[300]);
    private static final Settlement AT_ONCE = settlement(Duration.ofNanos(1000));
    private static final Settlement FOR_A_DAY = settlement(Duration.ofDays(1));

    private final ConcurrentHashMap<RecordId, Payload> map = new ConcurrentHashMap<>();
    private final MemoryRecordStore store = new MemoryRecordStore();
    private final AtomicInteger threads = new AtomicInteger();

    private static Settlement settlement(Duration retention) {
        return new Settlement(RecordState.SUCCEEDED, VALUE, retention, retention);
    }

    /** A thread's own keys: some to be claimed over and over, some that are settled. */
    @State(Scope.Thread)
    public static class Mine {
        private final RecordId[] ids = new RecordId[RING];
        private final ClaimRequest[] claims = new ClaimRequest[RING];
        private final ClaimRequest[] repetitions = new ClaimRequest[RING];
        private int at;

        /** Makes them, each thread its own. */
        @Setup(Level.Trial)
        public void make(MemoryStoreBenchmark shared) {
            int thread = shared.threads.incrementAndGet();
            for (int i = 0; i < RING; i++) {
                ids[i] = id("running-" + thread + "-" + i);
                claims[i] = request(ids[i], Duration.ofNanos(1000));
                RecordId settled = id("settled-" + thread + "-" + i);
                shared.map.put(settled, VALUE);
                shared.settle(request(settled, Duration.ofDays(1)), FOR_A_DAY);
                repetitions[i] = request(settled, Duration.ofDays(1));
            }
        }

        private int next() {
            at = (at + 1) % RING;
            return at;
        }

        private static RecordId id(String value) {
            return OperationKey.of("order.create", io.oncegate.core.key.Scope.global(), value)
                    .id();
        }

        private static ClaimRequest request(RecordId id, Duration retention) {
            return new ClaimRequest(
                    id,
                    "order.create",
                    Fingerprint.of("two seats"),
                    AttemptId.random(),
                    Operation.DEFAULT_LEASE,
                    retention,
                    0,
                    null);
        }
    }

    private HolderAnswer settle(ClaimRequest request, Settlement settlement) {
        if (store.claim(request) instanceof Granted granted) {
            return store.settle(new ClaimRef(request.id(), granted.fence(), request.attempt()), settlement);
        }
        throw new IllegalStateException("Not granted");
    }

    /** Bare. */
    @Benchmark
    public void barePutIfAbsentGetRemove(Mine mine, Blackhole seen) {
        RecordId id = mine.ids[mine.next()];
        seen.consume(map.putIfAbsent(id, VALUE));
        seen.consume(map.get(id));
        seen.consume(map.remove(id));
    }

    @Benchmark
    public HolderAnswer claimAndSettle(Mine mine) {
        return settle(mine.claims[mine.next()], AT_ONCE);
    }

    /** Bare. */
    @Benchmark
    public void bareGet(Mine mine, Blackhole seen) {
        seen.consume(map.get(mine.repetitions[mine.next()].id()));
    }

    @Benchmark
    public ClaimAnswer replay(Mine mine) {
        return store.claim(mine.repetitions[mine.next()]);
    }
}
