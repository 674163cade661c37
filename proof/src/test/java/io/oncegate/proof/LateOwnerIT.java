package io.oncegate.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.Outcome;
import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.testsupport.Await;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that stands still past its lease and then goes on as if nothing had been: G2. */
@Execution(ExecutionMode.CONCURRENT)
class LateOwnerIT {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Kind.Places PLACES = new Kind.Places();

    @AfterAll
    static void close() {
        PLACES.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAIMED_REDIS", "CLAIMED_POSTGRESQL", "CLAIMED_MARIADB"})
    @DisplayName("C49: a late owner's settling changes nothing, and it answers the newer outcome")
    void aLateOwnerIsToldTheNewerOutcome(Kind kind) throws SQLException {
        Place place = PLACES.of(kind);
        String key = "late-" + UUID.randomUUID();
        try (Side side = new Side(place, Side.Settings.lease(LEASE));
                VictimProcess victim = VictimProcess.start(place, LEASE, Label.INSIDE_BUSINESS, key)) {
            victim.awaitAt(Label.INSIDE_BUSINESS);
            assertThat(side.run(key, "newer")).isInstanceOf(Outcome.Held.class);
            victim.freeze();

            AtomicReference<Outcome<String>> newer = new AtomicReference<>();
            Await.until("the claim is taken over", Duration.ofSeconds(60), () -> {
                newer.set(side.run(key, "newer"));
                return !(newer.get() instanceof Outcome.Held);
            });
            assertThat(newer.get()).isEqualTo(new Outcome.Executed<>("newer"));
            RecordBrowser.Entry settled = side.record(key).orElseThrow();

            victim.thaw();
            victim.proceed();
            assertThat(victim.await("ANSWER")).isEqualTo("Replayed newer");
            assertThat(victim.exitCode()).isZero();
            assertThat(side.record(key)).contains(settled);
            assertThat(side.run(key, "third")).isEqualTo(new Outcome.Replayed<>("newer"));
            // The fence does not stop the late owner's own write: gate 3 alone does.
            assertThat(side.see(key).first()).isEqualTo(2);
        }
    }
}
