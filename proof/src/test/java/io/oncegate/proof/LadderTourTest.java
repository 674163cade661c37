package io.oncegate.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.Call;
import io.oncegate.core.LadderForget;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.jdbc.JdbcRecordStore;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The code of docs/ladder.md. */
class LadderTourTest {
    private static String insertOrder(Connection connection, String sku) throws SQLException {
        Effects.write(connection, sku, 1, 0);
        return "order of " + sku;
    }

    @Test
    @DisplayName("the page's example runs once, answers again, and can be forgotten")
    void theTour() throws SQLException {
        try (TestDatabase database = Databases.H2.fresh()) {
            DataSource dataSource = database.pool(2, false);
            new Effects(dataSource).create();
            MemoryRecordStore fast = new MemoryRecordStore();
            // snippet: ladder
            Oncegate once = Oncegate.ladder(fast, JdbcTransactionalRecordStore.of(dataSource))
                    .build();

            Operation<String> placeOrder =
                    Operation.named("order.create").returning(String.class).build();
            Call<String> call = placeOrder.call(Scope.of("alice"), "7f3c", Fingerprint.of("{\"sku\":\"A1\"}"));

            Outcome<String> outcome = once.run(call, claim -> {
                Connection connection = claim.unwrap(Connection.class); // the record's own transaction
                return insertOrder(connection, "A1");
            });
            // end snippet
            assertThat(outcome).isEqualTo(new Outcome.Executed<>("order of A1"));
            assertThat(once.run(call, claim -> "again")).isEqualTo(new Outcome.Replayed<>("order of A1"));
            // snippet: forget
            LadderForget forget = LadderForget.of(fast, JdbcRecordStore.of(dataSource));
            ForgetAnswer answer = forget.forget(call.key().id()); // FORGOTTEN, ABSENT, or HELD: ask again later
            // end snippet
            assertThat(answer).isEqualTo(ForgetAnswer.FORGOTTEN);
            assertThat(once.run(call, claim -> "anew")).isEqualTo(new Outcome.Executed<>("anew"));
            once.close();
        }
    }
}
