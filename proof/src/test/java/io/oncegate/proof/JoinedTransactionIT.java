package io.oncegate.proof;

import static io.oncegate.proof.SameTransactionScene.call;
import static io.oncegate.proof.SameTransactionScene.newKey;
import static io.oncegate.proof.SameTransactionScene.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.Call;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.proof.Effects.Seen;
import io.oncegate.testsupport.Databases;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The engine in a transaction that its caller has begun and alone ends, on a pool of one connection. */
@ParameterizedClass
@EnumSource(Databases.class)
class JoinedTransactionIT extends OnEachDatabase {
    private static HikariDataSource pool;

    private final AtomicReference<Connection> callers = new AtomicReference<>();
    private final Oncegate once = scene.joining(callers::get, pool);

    JoinedTransactionIT(Databases kind) {
        super(kind);
    }

    @BeforeParameterizedClassInvocation
    static void openPool() {
        pool = scene.poolOfOne(Duration.ofSeconds(20));
    }

    @BeforeEach
    void begin() throws SQLException {
        callers.set(pool.getConnection());
    }

    @AfterEach
    void end() throws SQLException {
        Connection connection = callers.getAndSet(null);
        if (!connection.isClosed()) {
            connection.rollback();
            connection.close();
        }
        once.close();
    }

    private Outcome<String> join(Call<String> call, String value) throws SQLException {
        return once.run(call, scene.effect(call.key().value(), value));
    }

    private void callerWrites(String name) throws SQLException {
        Effects.write(callers.get(), name, 1, 0);
        Effects.write(callers.get(), name, 2, 0);
    }

    @Test
    @DisplayName("C99: the caller's commit makes record and effect true at once, with one connection in all")
    void commitsWithTheCaller() throws SQLException {
        Call<String> call = call(text().build(), newKey());
        assertThat(join(call, "done")).isEqualTo(new Outcome.Executed<>("done"));
        assertThat(join(call, "again")).as("in the same transaction").isEqualTo(new Outcome.Replayed<>("done"));
        assertThat(scene.see(call)).isEqualTo(NOTHING);
        callers.get().commit();
        assertThat(scene.see(call)).isEqualTo(ONCE);
        assertThat(join(call, "again")).isEqualTo(new Outcome.Replayed<>("done"));
    }

    @Test
    @DisplayName("the caller's rollback leaves nothing, refusals included")
    void rollsBackWithTheCaller() throws Exception {
        Call<String> done = call(text().build(), newKey());
        Operation<String> refusing =
                text().refusal("sold-out", SoldOut.class, SoldOut::new).build();
        Call<String> refused = call(refusing, newKey());
        assertThat(join(done, "done")).isInstanceOf(Outcome.Executed.class);
        assertThat(once.run(refused, scene.effectThenFail(refused.key().value(), new SoldOut("none"))))
                .isInstanceOf(Outcome.Refused.class);
        callers.get().rollback();
        assertThat(scene.see(done)).isEqualTo(NOTHING);
        assertThat(scene.see(refused)).isEqualTo(NOTHING);
        assertThat(join(done, "next")).isEqualTo(new Outcome.Executed<>("next"));
    }

    @Test
    @DisplayName("a refusal is kept by the caller's commit, without the business's rows")
    void keepsARefusal() throws Exception {
        Operation<String> refusing =
                text().refusal("sold-out", SoldOut.class, SoldOut::new).build();
        Call<String> call = call(refusing, newKey());
        callerWrites(call.key().value() + "-caller");
        assertThat(once.run(call, scene.effectThenFail(call.key().value(), new SoldOut("none"))))
                .isInstanceOf(Outcome.Refused.class);
        callers.get().commit();
        assertThat(scene.see(call)).isEqualTo(new Seen(0, 0, 1));
        assertThat(scene.effects
                        .see(call.key().value() + "-caller", call.key().id())
                        .first())
                .isOne();
        assertThat(join(call, "again")).isInstanceOf(Outcome.Refused.class);
    }

    @Test
    @DisplayName("C20: a business that fails is undone, and the caller's transaction stays usable")
    void undoesTheBusinessAlone() throws SQLException {
        Call<String> call = call(text().build(), newKey());
        String before = newKey();
        String after = newKey();
        callerWrites(before);
        IOException failure = new IOException("no");
        assertThatThrownBy(() -> once.run(call, scene.effectThenFail(call.key().value(), failure)))
                .isSameAs(failure);
        callerWrites(after);
        callers.get().commit();
        assertThat(scene.see(call)).isEqualTo(NOTHING);
        assertThat(scene.effects.see(before, call.key().id()).first()).isOne();
        assertThat(scene.effects.see(after, call.key().id()).first()).isOne();
    }

    @Test
    @DisplayName("C20: a duplicate is answered, and the caller's transaction stays usable")
    void aDuplicateDoesNotHarmTheCaller() throws SQLException {
        Call<String> call = call(text().build(), newKey());
        assertThat(scene.once.run(call, scene.effect(call.key().value(), "elsewhere")))
                .isInstanceOf(Outcome.Executed.class);
        String name = newKey();
        callerWrites(name);
        assertThat(join(call, "here")).isEqualTo(new Outcome.Replayed<>("elsewhere"));
        callers.get().commit();
        assertThat(scene.see(call)).isEqualTo(ONCE);
        assertThat(scene.effects.see(name, call.key().id()).first()).isOne();
    }

    @Test
    @DisplayName("recording late gives way to recording first where the transaction is the caller's")
    void recordsFirstWhereAskedToRecordLate() throws SQLException {
        Call<String> call = call(text().recordLate().build(), newKey());
        assertThat(join(call, "done")).isInstanceOf(Outcome.Executed.class);
        callers.get().commit();
        assertThat(scene.see(call)).isEqualTo(ONCE);
    }

    @Test
    @DisplayName("an asynchronous business is refused, and leaves nothing")
    void refusesAnAsynchronousBusiness() throws SQLException {
        Call<String> call = call(text().build(), newKey());
        assertThatThrownBy(() -> once.runAsync(call, claim -> CompletableFuture.completedFuture("never"))
                        .toCompletableFuture()
                        .get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("asynchronous");
        callers.get().commit();
        assertThat(scene.see(call)).isEqualTo(NOTHING);
    }

    @Test
    @DisplayName("a nested operation of another key joins, one of the same key answers")
    void nestedOperationsJoin() throws SQLException {
        Call<String> outer = call(text().build(), newKey());
        Call<String> inner = call(text().build(), newKey());
        Outcome<String> outcome = once.run(outer, claim -> {
            assertThat(join(inner, "inner")).isEqualTo(new Outcome.Executed<>("inner"));
            assertThat(join(outer, "again")).isEqualTo(new Outcome.NoResult<>(outer.key(), false));
            return scene.effect(outer.key().value(), "outer").run(claim);
        });
        assertThat(outcome).isEqualTo(new Outcome.Executed<>("outer"));
        callers.get().commit();
        assertThat(scene.see(outer)).isEqualTo(ONCE);
        assertThat(scene.see(inner)).isEqualTo(ONCE);
    }

    @Test
    @DisplayName("a business that swallows a failure which ended the transaction is not answered as done")
    void aSwallowedFailure() throws SQLException {
        Operation<Void> nothing = Operation.named("no.result").build();
        Call<Void> call = call(nothing, newKey());
        if (kind == Databases.POSTGRESQL) {
            assertThatThrownBy(() -> runAndSwallow(call)).isInstanceOf(StoreUnavailableException.class);
        } else {
            assertThat(runAndSwallow(call)).isInstanceOf(Outcome.Executed.class);
        }
    }

    private Outcome<Void> runAndSwallow(Call<Void> call) throws SQLException {
        return once.run(call, claim -> {
            try (Statement statement = claim.unwrap(Connection.class).createStatement()) {
                assertThatThrownBy(() -> statement.execute("SELECT 1 FROM no_such_table"))
                        .isInstanceOf(SQLException.class);
            }
            return null;
        });
    }
}
