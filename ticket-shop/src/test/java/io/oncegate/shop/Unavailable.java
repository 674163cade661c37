package io.oncegate.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

/** What a customer and an operator see while a server is away. */
final class Unavailable {
    private static final Duration BOUND = Duration.ofSeconds(15);

    private Unavailable() {}

    static void check(Answer answer) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(503);
        assertThat(answer.isProblem()).isTrue();
        assertThat(Integer.parseInt(answer.header("Retry-After"))).isBetween(1, 60);
        assertThat(answer.took()).isLessThan(BOUND);
    }

    static void check(Answer answer, LogWatch log) {
        check(answer);
        assertThat(log.errors()).isEmpty();
        assertThat(log.traces()).isEmpty();
        assertThat(log.warnings()).hasSize(1);
    }
}
