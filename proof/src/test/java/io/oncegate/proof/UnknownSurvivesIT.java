package io.oncegate.proof;

import static io.oncegate.proof.SameTransactionScene.call;
import static io.oncegate.proof.SameTransactionScene.newKey;
import static io.oncegate.proof.SameTransactionScene.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.Call;
import io.oncegate.core.FailureKind;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.testkit.CrashPoint;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.Databases;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A call to another system times out within a transaction, and then the transaction is lost: what may have happened outside
 * is not undone with it, so the outcome stays unknown and the business is not run again.
 */
@ParameterizedClass
@EnumSource(Databases.class)
class UnknownSurvivesIT extends OnEachDatabase {
    UnknownSurvivesIT(Databases kind) {
        super(kind);
    }

    private static final class TimedOut extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static Operation.Builder<String> payment() {
        return text().failures(failure ->
                failure instanceof TimedOut ? FailureKind.NOBODY_KNOWS : FailureKind.NOTHING_HAPPENED);
    }

    private interface Meanwhile {
        void happens(Connection connection) throws Exception;
    }

    /** Takes money somewhere else, and does not hear of it. */
    private static Outcome<String> pay(Oncegate once, Call<String> call, Meanwhile meanwhile) throws Exception {
        return once.run(call, claim -> {
            scene.<String>effect(call.key().value(), "undone").run(claim);
            meanwhile.happens(claim.unwrap(Connection.class));
            throw new TimedOut();
        });
    }

    private void breakOff(Connection connection) throws SQLException {
        if (kind == Databases.H2) {
            connection.rollback(); // H2's abort does nothing
        } else {
            connection.abort(Runnable::run);
        }
    }

    private static void assertUnknown(Call<String> call) throws Exception {
        assertThat(run(call, "again")).isInstanceOf(Outcome.Unknown.class);
        assertThat(scene.runs).as("the business").hasValue(1);
        assertThat(scene.see(call)).isEqualTo(RECORD_ONLY);
    }

    @Test
    @DisplayName("the connection breaks while the business waits for the other system")
    void theConnectionBreaks() throws Exception {
        Call<String> call = call(payment().build(), newKey());
        assertThat(pay(scene.once, call, this::breakOff)).isInstanceOf(Outcome.Unknown.class);
        assertUnknown(call);
    }

    @Test
    @DisplayName("the business ends the transaction by itself")
    void theBusinessEndsTheTransaction() throws Exception {
        Call<String> call = call(payment().build(), newKey());
        assertThat(pay(scene.once, call, Connection::rollback)).isInstanceOf(Outcome.Unknown.class);
        assertUnknown(call);
    }

    @Test
    @DisplayName("the record's update or the commit fails, or the reply to the commit is lost")
    void theCommitFails() throws Exception {
        for (CrashPoint point : List.of(CrashPoint.BEFORE_SETTLE, CrashPoint.BEFORE_COMMIT, CrashPoint.AFTER_COMMIT)) {
            scene.runs.set(0);
            Call<String> call = call(payment().build(), newKey());
            scene.points.fail(point);
            assertThat(pay(scene.once, call, connection -> {})).as(point.name()).isInstanceOf(Outcome.Unknown.class);
            assertUnknown(call);
        }
    }

    @Test
    @DisplayName("the record is written late, and a commit fails")
    void theRecordIsLate() throws Exception {
        Call<String> late = call(payment().recordLate().build(), newKey());
        scene.points.fail(CrashPoint.BEFORE_COMMIT);
        assertThat(pay(scene.once, late, connection -> {})).isInstanceOf(Outcome.Unknown.class);
        assertUnknown(call(payment().build(), late.key().value()));
    }

    @Test
    @DisplayName(
            "the database is away for longer than the caller waits: he is told so, and it is recorded when it is back")
    void theDatabaseIsAway() throws Exception {
        try (Oncegate impatient = scene.impatient()) {
            Call<String> call = call(payment().build(), newKey());
            assertThatThrownBy(() -> pay(impatient, call, connection -> {
                        scene.points.fail(CrashPoint.BEFORE_CLAIM, 100_000);
                        breakOff(connection);
                    }))
                    .isInstanceOf(OutcomeNotRecordedException.class);
            assertThatThrownBy(() -> run(call, "again")).isInstanceOf(StoreUnavailableException.class);
            scene.points.clear();
            Await.until(
                    "recorded", Duration.ofSeconds(60), () -> scene.see(call).equals(RECORD_ONLY));
            assertUnknown(call);
        }
    }
}
