package io.oncegate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitTest {

    @Test
    void aConditionWhoseAssertionFailsIsAskedAgain() {
        AtomicInteger asked = new AtomicInteger();
        Await.until("third", Duration.ofSeconds(10), () -> {
            assertThat(asked.incrementAndGet()).isEqualTo(3);
            return true;
        });
        assertThat(asked).hasValue(3);
    }

    @Test
    void theLastFailureIsTheCauseAfterTheDeadline() {
        assertThatThrownBy(() -> Await.until("never", Duration.ZERO, () -> {
                    throw new AssertionError("not yet");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("not yet")
                .hasMessageContaining("never");
    }
}
