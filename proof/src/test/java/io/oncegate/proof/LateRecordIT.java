package io.oncegate.proof;

import static io.oncegate.proof.SameTransactionScene.call;
import static io.oncegate.proof.SameTransactionScene.newKey;
import static io.oncegate.proof.SameTransactionScene.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.Call;
import io.oncegate.core.FailureKind;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.testkit.DuplicateStorm;
import io.oncegate.testkit.StormReport;
import io.oncegate.testsupport.Databases;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The record written once, with its result, just before the commit: two businesses may run at once. */
@ParameterizedClass
@EnumSource(Databases.class)
class LateRecordIT extends OnEachDatabase {
    LateRecordIT(Databases kind) {
        super(kind);
    }

    @Test
    @DisplayName("late: of two businesses at once one is rolled back, and answers the other's outcome")
    void lateRecordRollsOneOfTwoBack() throws Exception {
        Call<String> call = call(text().recordLate().build(), newKey());
        CountDownLatch bothWrote = new CountDownLatch(2);
        CountDownLatch firstIsOver = new CountDownLatch(1);
        CompletableFuture<Outcome<String>> second = CompletableFuture.supplyAsync(() -> {
            try {
                return scene.once.run(call, claim -> {
                    scene.effect(call.key().value(), "").run(claim);
                    bothWrote.countDown();
                    firstIsOver.await();
                    return "second";
                });
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        Outcome<String> first = scene.once.run(call, claim -> {
            scene.effect(call.key().value(), "").run(claim);
            bothWrote.countDown();
            bothWrote.await();
            return "first";
        });
        assertThat(scene.see(call)).isEqualTo(ONCE);
        firstIsOver.countDown();

        assertThat(first).isEqualTo(new Outcome.Executed<>("first"));
        assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Replayed<>("first"));
        assertThat(scene.runs).hasValue(2);
        assertThat(scene.see(call)).isEqualTo(ONCE);
    }

    @Test
    @DisplayName("late: a copy whose business fails over the first one's rows answers the first one's outcome")
    void lateRecordAnswersACopyThatFailed() throws SQLException {
        Call<String> call = call(text().recordLate().build(), newKey());
        String seat = call.key().value();
        for (int i = 0; i < 2; i++) {
            Outcome<String> outcome = scene.once.run(call, claim -> {
                SameTransactionScene.takeSeat(claim.unwrap(Connection.class), seat);
                return "seat";
            });
            assertThat(outcome).isEqualTo(i == 0 ? new Outcome.Executed<>("seat") : new Outcome.Replayed<>("seat"));
        }
        Call<String> alone = call(text().recordLate().build(), newKey());
        assertThatThrownBy(() -> scene.once.run(alone, claim -> {
                    SameTransactionScene.takeSeat(claim.unwrap(Connection.class), seat);
                    return "seat";
                }))
                .isInstanceOf(SQLException.class);
        assertThat(scene.see(alone)).isEqualTo(NOTHING);
    }

    @Test
    @DisplayName("late: refusals and unknown outcomes are kept, exceptions are not")
    void lateRecordKeepsRefusals() throws Exception {
        Operation<String> operation = text().recordLate()
                .refusal("sold-out", SoldOut.class, SoldOut::new)
                .failures(f -> f instanceof IOException ? FailureKind.NOBODY_KNOWS : FailureKind.NOTHING_HAPPENED)
                .build();
        Call<String> refused = call(operation, newKey());
        assertThat(scene.once.run(refused, scene.effectThenFail(refused.key().value(), new SoldOut("none"))))
                .isInstanceOf(Outcome.Refused.class);
        assertThat(scene.see(refused)).isEqualTo(RECORD_ONLY);
        assertThat(run(refused, "again")).isInstanceOf(Outcome.Refused.class);

        Call<String> unknown = call(operation, newKey());
        assertThat(scene.once.run(unknown, scene.effectThenFail(unknown.key().value(), new IOException("late"))))
                .isInstanceOf(Outcome.Unknown.class);
        assertThat(scene.see(unknown)).isEqualTo(RECORD_ONLY);

        Call<String> failed = call(operation, newKey());
        assertThatThrownBy(() ->
                        scene.once.run(failed, scene.effectThenFail(failed.key().value(), new IllegalStateException())))
                .isInstanceOf(IllegalStateException.class);
        assertThat(scene.see(failed)).isEqualTo(NOTHING);
    }

    @Test
    @DisplayName("late: of 32 copies at once one takes effect, and all get its answer")
    void lateRecordSurvivesAStorm() throws SQLException {
        Call<String> call =
                call(text().recordLate().waitUpTo(Duration.ofSeconds(50)).build(), newKey());
        StormReport<Outcome<String>> report =
                DuplicateStorm.of(32, () -> run(call, Thread.currentThread().getName()));
        assertThat(report.allReturned()).hasSize(32);
        assertThat(report.count(o -> o instanceof Outcome.Executed)).isOne();
        assertThat(report.returned().stream().map(Outcome::orElseThrow).distinct())
                .hasSize(1);
        assertThat(scene.see(call)).isEqualTo(ONCE);
    }
}
