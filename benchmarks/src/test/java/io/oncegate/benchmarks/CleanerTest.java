package io.oncegate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.spi.RecordPurger.Purged;
import io.oncegate.testsupport.Await;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CleanerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void noBatchIsUnderWayOnceItIsPaused() {
        AtomicBoolean busy = new AtomicBoolean();
        AtomicInteger batches = new AtomicInteger();
        Cleaner cleaner = new Cleaner(limit -> {
            busy.set(true);
            batches.incrementAndGet();
            Thread.yield();
            busy.set(false);
            return new Purged(limit, 0);
        });
        try (cleaner) {
            for (int i = 0; i < 1_000; i++) {
                int before = batches.get();
                cleaner.resume();
                cleaner.pause();
                assertThat(busy).isFalse();
                assertThat(batches.get()).isGreaterThan(before);
            }
            assertThat(cleaner.deleted()).isEqualTo(500L * batches.get());
            assertThatCode(cleaner::check).doesNotThrowAnyException();
        }
    }

    @Test
    void aBacklogThatIsOverFailsTheRow() {
        AtomicInteger left = new AtomicInteger(2);
        try (Cleaner cleaner = new Cleaner(limit -> new Purged(left.getAndDecrement() > 0 ? limit : 0, 0))) {
            cleaner.resume();
            Await.until("the cleaner has ended", PATIENCE, () -> fails(cleaner));
            assertThatThrownBy(cleaner::check)
                    .hasRootCauseMessage("Nothing is left to purge: begin with more, or measure fewer pairs");
            cleaner.pause();
            cleaner.resume();
            assertThat(cleaner.deleted()).isEqualTo(1_000);
        }
    }

    private static boolean fails(Cleaner cleaner) {
        try {
            cleaner.check();
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }
}
