package io.oncegate.benchmarks.jmh;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.spi.AttemptId;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Making a key and an attempt, against the digest and the random numbers that they are made of. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class KeyBenchmark {
    private static final String OPERATION = "order.create";
    private static final String TENANT = "tenant-1";
    private static final String USER = "alice";

    private final io.oncegate.core.key.Scope scope = io.oncegate.core.key.Scope.of(TENANT, USER);
    // not final: the compiler would join them once and for all
    private String plain = "order-4711-0000-0000-0000-0000000000";
    private String version7 = "01890a5d-ac96-774b-bcce-b302099a8057";

    /** Bare: the key as text, as a guard by hand would join it. */
    @Benchmark
    public String bareJoin() {
        return OPERATION + '|' + TENANT + '|' + USER + '|' + plain;
    }

    /** Bare: the same with its SHA-256. */
    @Benchmark
    public byte[] bareJoinAndSha256() throws NoSuchAlgorithmException {
        return MessageDigest.getInstance("SHA-256").digest(bareJoin().getBytes(StandardCharsets.UTF_8));
    }

    @Benchmark
    public OperationKey key() {
        return OperationKey.of(OPERATION, scope, plain);
    }

    @Benchmark
    public OperationKey keyWithBirthTime() {
        return OperationKey.of(OPERATION, scope, version7);
    }

    /** Bare: a random number that is good enough for nothing but speed. */
    @Benchmark
    public long bareThreadLocalRandom() {
        return ThreadLocalRandom.current().nextLong();
    }

    /** Bare: what others take for an owner's name. */
    @Benchmark
    public UUID bareRandomUuid() {
        return UUID.randomUUID();
    }

    @Benchmark
    public AttemptId attempt() {
        return AttemptId.random();
    }
}
