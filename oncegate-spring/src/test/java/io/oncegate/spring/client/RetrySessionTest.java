package io.oncegate.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetrySessionTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-11-29T12:00:00Z"));

    private static RetrySession session(int attempts, Duration total) {
        return RetryRules.builder()
                .maxAttempts(attempts)
                .maxTotalWait(total)
                .backoff(Duration.ofMillis(100), Duration.ofMillis(400))
                .build()
                .session(true, CLOCK);
    }

    @ParameterizedTest
    @ValueSource(ints = {502, 503, 504})
    void passingTroubleIsTriedAgain(int status) {
        assertThat(session(2, Duration.ofSeconds(1)).afterAnswer(status, null, false))
                .isPresent();
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 201, 204, 301, 400, 401, 403, 404, 408, 409, 410, 412, 422, 425, 429, 500, 501, 505})
    void anyOtherAnswerIsTheCallers(int status) {
        assertThat(session(9, Duration.ofSeconds(60)).afterAnswer(status, null, false))
                .isEmpty();
    }

    @Test
    void aNamedTimeDoesNotMakeADefiniteAnswerPassing() {
        for (int status : new int[] {400, 409, 412, 422, 500}) {
            assertThat(session(9, Duration.ofSeconds(60)).afterAnswer(status, "1", false))
                    .isEmpty();
        }
    }

    @Test
    void inProgressAndTooManyRequestsPass() {
        assertThat(session(2, Duration.ofSeconds(9)).afterAnswer(409, null, true))
                .isPresent();
        assertThat(session(2, Duration.ofSeconds(9)).afterAnswer(409, "3", true))
                .contains(Duration.ofSeconds(3));
        assertThat(session(2, Duration.ofSeconds(9)).afterAnswer(429, "3", false))
                .contains(Duration.ofSeconds(3));
        assertThat(session(2, Duration.ofSeconds(9)).afterAnswer(429, "garbage", false))
                .isEmpty();
    }

    @Test
    void aTimeOverTheBudgetIsNotWaitedForNorCutShort() {
        assertThat(session(9, Duration.ofSeconds(9)).afterAnswer(503, "10", false))
                .isEmpty();
        assertThat(session(9, Duration.ofSeconds(9)).afterAnswer(503, "99999999999999999999", false))
                .isEmpty();
        assertThat(session(9, Duration.ofSeconds(9)).afterAnswer(503, "Sun, 29 Nov 2026 12:00:09 GMT", false))
                .contains(Duration.ofSeconds(9));
    }

    @Test
    void attemptsAndWaitsStayWithinTheirBounds() {
        Random random = new Random(4);
        for (int i = 0; i < 2_000; i++) {
            int attempts = 1 + random.nextInt(10);
            Duration total = Duration.ofMillis(random.nextInt(3_000));
            RetrySession session = session(attempts, total);
            Duration waited = Duration.ZERO;
            int sent = 1;
            while (true) {
                boolean named = random.nextBoolean();
                Optional<Duration> wait = named
                        ? session.afterAnswer(503, Integer.toString(random.nextInt(3) - 1), false)
                        : session.afterFailure();
                if (wait.isEmpty()) {
                    break;
                }
                assertThat(wait.get()).isGreaterThanOrEqualTo(Duration.ofMillis(50));
                waited = waited.plus(wait.get());
                sent++;
            }
            assertThat(sent).isLessThanOrEqualTo(attempts);
            assertThat(waited).isLessThanOrEqualTo(total);
        }
    }

    @Test
    void whatMustNotBeRepeatedIsSentOnce() {
        RetrySession session = RetryRules.builder().build().session(false);
        assertThat(session.hasMore()).isFalse();
        assertThat(session.afterFailure()).isEmpty();
        assertThat(session.afterAnswer(503, "0", false)).isEmpty();
    }

    @Test
    void rulesRefuseWhatMakesNoSense() {
        RetryRules.Builder rules = RetryRules.builder();
        assertThatThrownBy(() -> rules.maxAttempts(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> rules.maxTotalWait(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> rules.backoff(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
