package io.oncegate.proof;

import static io.oncegate.proof.SameTransactionScene.call;
import static io.oncegate.proof.SameTransactionScene.newKey;
import static io.oncegate.proof.SameTransactionScene.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.Call;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.testkit.CrashPoint;
import io.oncegate.testkit.DuplicateStorm;
import io.oncegate.testkit.StormReport;
import io.oncegate.testsupport.Databases;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Same-transaction mode where replies are lost, connections are few, or the business meddles with its transaction. */
@ParameterizedClass
@EnumSource(Databases.class)
class SameTransactionFaultsIT extends OnEachDatabase {
    SameTransactionFaultsIT(Databases kind) {
        super(kind);
    }

    @Test
    @DisplayName("C99: a pool of one connection serves sixteen copies that wait")
    void onePooledConnectionIsEnough() throws SQLException {
        try (Oncegate small = scene.on(scene.database.pool(1, false))) {
            Call<String> call = call(text().waitUpTo(Duration.ofSeconds(50)).build(), newKey());
            StormReport<Outcome<String>> report = DuplicateStorm.of(
                    16, () -> small.run(call, scene.effect(call.key().value(), "once")));
            assertThat(report.allReturned()).hasSize(16);
            assertThat(scene.see(call)).isEqualTo(ONCE);
        }
    }

    @Test
    @DisplayName("C99: an own transaction within another fails fast where the pool has no second connection")
    void anInnerTransactionFailsFast() throws SQLException {
        try (Oncegate small = scene.on(scene.poolOfOne(Duration.ofMillis(300)))) {
            Call<String> outer = call(text().build(), newKey());
            Call<String> inner = call(text().build(), newKey());
            Outcome<String> outcome = small.run(outer, claim -> {
                assertThatThrownBy(() -> small.run(inner, scene.effect("inner", "never")))
                        .isInstanceOf(StoreUnavailableException.class);
                return scene.effect(outer.key().value(), "outer").run(claim);
            });
            assertThat(outcome).isEqualTo(new Outcome.Executed<>("outer"));
            assertThat(scene.see(inner)).isEqualTo(NOTHING);
        }
    }

    @Test
    @DisplayName("G6: a commit whose reply is lost is answered as committed, early and late")
    void aLostReplyToACommit() throws SQLException {
        for (Operation<String> operation :
                List.of(text().build(), text().recordLate().build())) {
            Call<String> call = call(operation, newKey());
            scene.points.fail(CrashPoint.AFTER_COMMIT);
            assertThat(run(call, "done")).isEqualTo(new Outcome.Executed<>("done"));
            assertThat(run(call, "again")).isEqualTo(new Outcome.Replayed<>("done"));
            assertThat(scene.see(call)).isEqualTo(ONCE);
        }
    }

    @Test
    @DisplayName("G6: a commit that never arrived is answered as rolled back, early and late")
    void aLostCommit() throws SQLException {
        for (Operation<String> operation :
                List.of(text().build(), text().recordLate().build())) {
            Call<String> call = call(operation, newKey());
            scene.points.fail(CrashPoint.BEFORE_COMMIT);
            assertThatThrownBy(() -> run(call, "lost"))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("rolled back");
            assertThat(scene.see(call)).isEqualTo(NOTHING);
            assertThat(run(call, "again")).isEqualTo(new Outcome.Executed<>("again"));
        }
    }

    @Test
    @DisplayName("G6: where a lost commit cannot be looked for, nothing is answered")
    void aLostCommitThatCannotBeLookedFor() throws SQLException {
        try (Oncegate impatient = scene.impatient()) {
            Call<String> call = call(text().build(), newKey());
            scene.points.at(CrashPoint.AFTER_COMMIT, () -> {
                scene.points.fail(CrashPoint.BEFORE_CLAIM, 100_000);
                throw new StoreUnavailableException("test", "no reply", null);
            });
            assertThatThrownBy(() -> impatient.run(call, scene.effect(call.key().value(), "done")))
                    .isInstanceOf(OutcomeNotRecordedException.class);
            scene.points.clear();
            assertThat(run(call, "again")).isEqualTo(new Outcome.Replayed<>("done"));
            assertThat(scene.see(call)).isEqualTo(ONCE);
        }
    }

    @Test
    @DisplayName("a store that fails at the record or the result leaves nothing, and the key is free")
    void aFailureOfTheStoreLeavesNothing() throws SQLException {
        for (CrashPoint point : List.of(CrashPoint.BEFORE_CLAIM, CrashPoint.AFTER_CLAIM, CrashPoint.AFTER_SETTLE)) {
            Call<String> call = call(text().build(), newKey());
            scene.points.fail(point);
            assertThatThrownBy(() -> run(call, "lost")).isInstanceOf(StoreUnavailableException.class);
            assertThat(scene.see(call)).isEqualTo(NOTHING);
            assertThat(run(call, "again")).isEqualTo(new Outcome.Executed<>("again"));
        }
    }

    @Test
    @DisplayName("C20: a business that swallows a failure which ended its transaction is not answered as done")
    void aSwallowedFailure() throws SQLException {
        Operation<Void> nothing = Operation.named("no.result").build();
        for (Operation<?> operation :
                List.of(nothing, text().build(), text().recordLate().build())) {
            Call<?> call = call(operation, newKey());
            if (kind == Databases.POSTGRESQL) {
                assertThatThrownBy(() -> runAndSwallow(call)).isInstanceOf(StoreUnavailableException.class);
                assertThat(scene.see(call)).isEqualTo(NOTHING);
            } else {
                // Elsewhere a statement fails alone.
                assertThat(runAndSwallow(call)).isInstanceOf(Outcome.Executed.class);
                assertThat(scene.see(call)).isEqualTo(ONCE);
            }
        }
    }

    private static <T> Outcome<T> runAndSwallow(Call<T> call) throws SQLException {
        return scene.once.run(call, claim -> {
            scene.<T>effect(call.key().value(), null).run(claim);
            try (Statement statement = claim.unwrap(Connection.class).createStatement()) {
                assertThatThrownBy(() -> statement.execute("SELECT 1 FROM no_such_table"))
                        .isInstanceOf(SQLException.class);
            }
            return null;
        });
    }

    @Test
    @DisplayName("a business that rolls back by itself, and has a result, is not answered as done")
    void aBusinessThatRollsBackByItself() throws SQLException {
        Call<String> call = call(text().build(), newKey());
        assertThatThrownBy(() -> scene.once.run(call, claim -> {
                    claim.unwrap(Connection.class).rollback();
                    return scene.effect(call.key().value(), "done").run(claim);
                }))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(scene.see(call)).isEqualTo(NOTHING);
    }
}
