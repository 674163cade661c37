package io.oncegate.proof;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.oncegate.core.Call;
import io.oncegate.core.OnceEvent;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryRecordStore;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What duplicates leave in log and counters. */
class QuietDuplicatesTest {
    private static final String PERSON = "alice@example.org";
    private static final int DUPLICATES = 1_000;

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.oncegate");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Map<OnceEvent.Kind, Integer> counters = new EnumMap<>(OnceEvent.Kind.class);

    @BeforeEach
    void listen() {
        log.start();
        logger.setLevel(Level.TRACE);
        logger.setAdditive(false);
        logger.addAppender(log);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(log);
        logger.setLevel(null);
        logger.setAdditive(true);
    }

    @Test
    @DisplayName("C103: a thousand duplicates leave no warning and no key in the log, and are counted by kind")
    void duplicatesAreNoErrors() {
        Operation<String> operation =
                Operation.named("order.create").returning(String.class).build();
        Call<String> call = operation.call(Scope.of(PERSON), PERSON + "-key", Fingerprint.of(PERSON));
        try (Oncegate once = Oncegate.claimed(new MemoryRecordStore())
                .listener(event -> counters.merge(event.kind(), 1, Integer::sum))
                .build()) {
            once.run(call, claim -> {
                assertThat(once.run(call, again -> "never")).isInstanceOf(Outcome.Held.class);
                return "done";
            });
            for (int i = 0; i < DUPLICATES; i++) {
                assertThat(once.run(call, claim -> "never")).isEqualTo(new Outcome.Replayed<>("done"));
            }
            Call<String> other = operation.call(Scope.of(PERSON), PERSON + "-key", Fingerprint.of("else"));
            assertThat(once.run(other, claim -> "never")).isInstanceOf(Outcome.Mismatch.class);
        }

        assertThat(counters)
                .isEqualTo(Map.of(
                        OnceEvent.Kind.EXECUTED, 1,
                        OnceEvent.Kind.HELD, 1,
                        OnceEvent.Kind.REPLAYED, DUPLICATES,
                        OnceEvent.Kind.MISMATCH, 1));
        List<ILoggingEvent> events = List.copyOf(log.list);
        assertThat(events).hasSizeGreaterThanOrEqualTo(DUPLICATES);
        assertThat(events).allSatisfy(event -> {
            assertThat(event.getLevel().isGreaterOrEqual(Level.WARN)).isFalse();
            assertThat(event.getThrowableProxy()).isNull();
            assertThat(event.getFormattedMessage()).doesNotContain(PERSON);
        });
    }
}
