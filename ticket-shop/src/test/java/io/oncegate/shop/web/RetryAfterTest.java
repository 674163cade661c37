package io.oncegate.shop.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whoever comes back when {@code Retry-After} says is not too early. */
class RetryAfterTest {
    @ParameterizedTest
    @CsvSource({"0, 1", "1, 1", "1000, 1", "1001, 2", "4001, 5", "4999, 5", "5000, 5"})
    void countsWholeSecondsAndRoundsUp(long millis, long seconds) {
        assertThat(ShopProblems.wholeSeconds(Duration.ofMillis(millis))).isEqualTo(seconds);
    }
}
