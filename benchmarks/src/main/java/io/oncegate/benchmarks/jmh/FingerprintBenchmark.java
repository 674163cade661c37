package io.oncegate.benchmarks.jmh;

import io.oncegate.core.key.Fingerprint;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Fingerprints, canonical JSON included, against one SHA-256 of the same text. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class FingerprintBenchmark {
    /** How many lines the order has: about 100 bytes, 1 kB, 10 kB. */
    @Param({"1", "15", "150"})
    public int lines;

    private String json = "";
    private Fingerprint kept = Fingerprint.none();
    private Fingerprint same = Fingerprint.none();

    @Setup(Level.Trial)
    public void text() {
        StringBuilder text = new StringBuilder("{\"session\":1,\"user\":\"alice\",\"lines\":[");
        for (int i = 0; i < lines; i++) {
            text.append(i == 0 ? "" : ",").append("{\"seat\":\"row \\u0041 ").append(i);
            text.append("\",\"price\":12.50,\"quantity\":2,\"vip\":false}");
        }
        json = text.append("]}").toString();
        kept = Fingerprint.ofJson(json);
        same = Fingerprint.fromBytes(kept.toBytes());
    }

    /** Bare: a digest of the text as it comes. */
    @Benchmark
    public byte[] bareSha256() throws NoSuchAlgorithmException {
        return MessageDigest.getInstance("SHA-256").digest(json.getBytes(StandardCharsets.UTF_8));
    }

    @Benchmark
    public Fingerprint ofText() {
        return Fingerprint.of(json);
    }

    @Benchmark
    public Fingerprint ofJson() {
        return Fingerprint.ofJson(json);
    }

    @Benchmark
    public Fingerprint ofThreeFields() {
        return Fingerprint.builder()
                .jsonFields(json, "/session", "/user", "/lines/0/quantity")
                .build();
    }

    /** What a duplicate costs in the memory store. */
    @Benchmark
    public boolean equal() {
        return kept.equals(same);
    }

    /** What a duplicate costs where a store hands back the stored form. */
    @Benchmark
    public boolean readAndMatch() {
        return kept.matches(Fingerprint.fromBytes(same.toBytes()));
    }
}
