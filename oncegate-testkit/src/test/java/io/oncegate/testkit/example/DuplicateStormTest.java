package io.oncegate.testkit.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.testkit.DuplicateStorm;
import io.oncegate.testkit.StormReport;
import io.oncegate.testkit.TestClock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DuplicateStormTest {
    @Test
    void allCopiesRunAtOnce() {
        CountDownLatch all = new CountDownLatch(16);
        StormReport<Integer> report = DuplicateStorm.of(16, () -> {
            all.countDown();
            all.await();
            return 7;
        });
        assertThat(report.allReturned()).hasSize(16).containsOnly(7);
        assertThat(report.distinct()).containsExactly(7);
    }

    @Test
    void failuresAndNullsAreReportedBesideTheRest() {
        StormReport<Integer> report = DuplicateStorm.of(3, Duration.ofSeconds(20), copy -> () -> switch (copy) {
            case 0 -> null;
            case 1 -> throw new IllegalStateException("one");
            default -> copy;
        });
        assertThat(report.returned()).containsExactly(null, 2);
        assertThat(report.threw()).singleElement().isInstanceOf(IllegalStateException.class);
        assertThat(report.count(value -> value == null)).isEqualTo(1);
        assertThat(report.copies().get(1)).isInstanceOf(StormReport.Threw.class);
        assertThatThrownBy(report::allReturned)
                .isInstanceOf(AssertionError.class)
                .hasRootCauseMessage("one");
    }

    @Test
    void aCopyThatHangsFailsTheStormAndIsInterrupted() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        assertThatThrownBy(() -> DuplicateStorm.of(1, Duration.ofMillis(50), copy -> () -> {
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.countDown();
                    }
                    return copy;
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("duplicate-0 is not over in time");
        interrupted.await();
    }

    @Test
    void everyCopyHasItsNumber() {
        AtomicInteger sum = new AtomicInteger();
        DuplicateStorm.of(5, Duration.ofSeconds(20), copy -> () -> sum.addAndGet(copy))
                .allReturned();
        assertThat(sum).hasValue(10);
    }

    @Test
    void aTestClockStandsUntilItIsMoved() {
        TestClock clock = new TestClock();
        long start = clock.micros();
        clock.advance(Duration.ofMillis(2));
        assertThat(clock.micros()).isEqualTo(start + 2_000);
        clock.stepBack(Duration.ofMillis(3));
        assertThat(clock.micros()).isEqualTo(start - 1_000);
        clock.set(TestClock.START);
        assertThat(clock.instant()).isEqualTo(TestClock.START);
    }
}
