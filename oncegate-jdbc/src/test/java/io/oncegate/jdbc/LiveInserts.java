package io.oncegate.jdbc;

import static io.oncegate.jdbc.Requests.granted;
import static io.oncegate.jdbc.Requests.request;
import static io.oncegate.jdbc.Requests.succeeded;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;

/** Live traffic of two threads: about 500 new records a second where the machine can, and how long each claim took. Thread-safe. */
final class LiveInserts {
    static final int WRITERS = 2;

    private static final long PACE = TimeUnit.MILLISECONDS.toNanos(2 * WRITERS);
    private static final double P99 = 0.99;

    private final RecordStore store;
    private final String name;
    private final List<Long> micros = Collections.synchronizedList(new ArrayList<>());

    LiveInserts(RecordStore store, String name) {
        this.store = store;
        this.name = name;
    }

    /** Inserts while this is true of the number that this writer has done, and returns that number. */
    int run(int writer, IntPredicate goOn) {
        int done = 0;
        long next = System.nanoTime();
        while (goOn.test(done)) {
            long wait = next - System.nanoTime();
            if (wait > 0) {
                LockSupport.parkNanos(wait);
            }
            // Who is late does not catch up: the pace is an upper bound.
            next = Math.max(next + PACE, System.nanoTime());
            String key = name + "-" + writer + "-" + done++;
            long began = System.nanoTime();
            ClaimRef claim = granted(store, request(key));
            micros.add(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - began));
            assertThat(store.settle(claim, succeeded(key))).isEqualTo(HolderAnswer.DONE);
        }
        return done;
    }

    /** For a person to read. */
    String figures() {
        List<Long> sorted = new ArrayList<>(micros);
        Collections.sort(sorted);
        return sorted.isEmpty()
                ? "no inserts"
                : sorted.size() + " inserts, median " + sorted.get(sorted.size() / 2) + " us, p99 "
                        + sorted.get((int) (sorted.size() * P99)) + " us, longest "
                        + sorted.get(sorted.size() - 1) + " us";
    }
}
