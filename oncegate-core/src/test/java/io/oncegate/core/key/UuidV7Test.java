package io.oncegate.core.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class UuidV7Test {
    private static final long NOW = 1_800_000_000_000L;

    @Test
    void carriesVersionVariantAndBirthTime() {
        Instant before = Instant.ofEpochMilli(System.currentTimeMillis());
        UUID uuid = UuidV7.at(Instant.ofEpochMilli(NOW));

        assertThat(uuid.version()).isEqualTo(7);
        assertThat(uuid.variant()).isEqualTo(2);
        assertThat(BirthTime.of(uuid.toString())).contains(Instant.ofEpochMilli(NOW));
        assertThat(BirthTime.of(UuidV7.next().toString()).orElseThrow()).isBetween(before, before.plusSeconds(600));
    }

    @Test
    void risesWithinAMillisecondAndOverASmallStepBack() {
        AtomicLong last = new AtomicLong();
        String previous = "";
        for (int i = 0; i < 20_000; i++) {
            String uuid = UuidV7.next(last, i < 10_000 ? NOW : NOW - 5_000).toString();
            assertThat(uuid).isGreaterThan(previous);
            previous = uuid;
        }
    }

    @Test
    void followsTheClockOverALargeStepBack() {
        AtomicLong last = new AtomicLong();
        UUID first = UuidV7.next(last, NOW + 3_600_000);
        UUID second = UuidV7.next(last, NOW);

        assertThat(BirthTime.of(first.toString())).contains(Instant.ofEpochMilli(NOW + 3_600_000));
        assertThat(BirthTime.of(second.toString())).contains(Instant.ofEpochMilli(NOW));
    }

    @Test
    void threadsNeverGetTheSameAndEachSeesThemRise() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            Callable<List<String>> many = () -> {
                List<String> made = new ArrayList<>();
                for (int i = 0; i < 5_000; i++) {
                    made.add(UuidV7.next().toString());
                }
                return made;
            };
            Set<String> all = new HashSet<>();
            for (Future<List<String>> future : threads.invokeAll(List.of(many, many, many, many))) {
                assertThat(future.get()).isSorted();
                all.addAll(future.get());
            }
            assertThat(all).hasSize(20_000);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void refusesTimesThatDoNotFit() {
        assertThatThrownBy(() -> UuidV7.at(Instant.ofEpochMilli(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> UuidV7.at(Instant.ofEpochMilli(1L << 48)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> UuidV7.at(Instant.MIN)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> UuidV7.at(Instant.MAX)).isInstanceOf(IllegalArgumentException.class);
        assertThat(UuidV7.at(Instant.ofEpochMilli((1L << 48) - 1)).toString()).startsWith("ffffffff-ffff-7");
    }
}
