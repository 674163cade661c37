package io.oncegate.benchmarks.jmh;

import io.oncegate.core.Call;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryRecordStore;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** The whole engine over the memory store: what a call costs beyond its store. */
@State(org.openjdk.jmh.annotations.Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class EngineBenchmark {
    private static final String BODY = "{\"sessionId\":1,\"quantity\":2}";
    private static final String RESULT = "r".repeat(300);
    private static final Scope ALICE = Scope.of("tenant-1", "alice");
    private static final Fingerprint FINGERPRINT = Fingerprint.ofJson(BODY);
    private static final Operation<String> SHORT = Operation.named("order.create")
            .returning(String.class)
            .retention(Duration.ofMillis(1))
            .build();
    private static final Operation<String> LONG =
            Operation.named("order.read").returning(String.class).build();

    private final ConcurrentHashMap<String, String> map = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    private final Oncegate engine = Oncegate.claimed(new MemoryRecordStore()).build();
    private final Call<String> settled = LONG.call(ALICE, "settled", FINGERPRINT);

    /** Ends the engine's threads. */
    @TearDown(Level.Trial)
    public void close() {
        engine.close();
    }

    private String nextKey() {
        return "order-" + numbers.incrementAndGet();
    }

    /** Bare: run the business unless the map has its key. */
    @Benchmark
    public String bareFirst() {
        String key = nextKey();
        if (map.putIfAbsent(key, RESULT) != null) {
            throw new IllegalStateException("not the first");
        }
        map.remove(key);
        return RESULT;
    }

    /** All that a request needs: key, digest, fingerprint, claim, business, settle. */
    @Benchmark
    public Outcome<String> first() {
        return engine.run(SHORT.call(ALICE, nextKey(), Fingerprint.ofJson(BODY)), claim -> RESULT);
    }

    /** The same with a fingerprint that is there already. */
    @Benchmark
    public Outcome<String> firstWithoutFingerprinting() {
        return engine.run(SHORT.call(ALICE, nextKey(), FINGERPRINT), claim -> RESULT);
    }

    /** A repetition whose call is there already: the engine and the store alone. */
    @Benchmark
    public Outcome<String> replay() {
        return engine.run(settled, claim -> RESULT);
    }

    /** A repetition as a request brings it. */
    @Benchmark
    public Outcome<String> wholeReplay() {
        return engine.run(LONG.call(ALICE, "settled", Fingerprint.ofJson(BODY)), claim -> RESULT);
    }
}
