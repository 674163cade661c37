package io.oncegate.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** What README.md shows. */
class QuickStartTest {
    private final AtomicInteger placed = new AtomicInteger();

    private String placeOrder(int seats) {
        return "T-" + placed.incrementAndGet() + "/" + seats;
    }

    @Test
    void claimed() {
        // snippet: claimed
        Operation<String> create =
                Operation.named("order.create").returning(String.class).build();
        Oncegate once = Oncegate.claimed(new MemoryRecordStore()).build();

        String body = "{\"seats\":2}";
        var call = create.call(Scope.of("alice"), "7f3c", Fingerprint.ofJson(body));
        Outcome<String> first = once.run(call, claim -> placeOrder(2));
        Outcome<String> again = once.run(call, claim -> placeOrder(2)); // the same request, sent twice

        first.orElseThrow(); // "T-1/2": the order was placed now
        again.orElseThrow(); // "T-1/2": the first answer, and no second order
        again.replayed(); // true
        // end snippet

        assertThat(first.orElseThrow()).isEqualTo("T-1/2");
        assertThat(again).isEqualTo(new Outcome.Replayed<>("T-1/2"));
        assertThat(placed).hasValue(1);
        var other = create.call(Scope.of("alice"), "7f3c", Fingerprint.ofJson("{\"seats\":3}"));
        assertThat(once.run(other, claim -> placeOrder(3))).isInstanceOf(Outcome.Mismatch.class);
        once.close();
    }

    @Test
    void sameTransaction() throws SQLException {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:quick-start;DB_CLOSE_DELAY=-1");
        JdbcSchema.of(dataSource).create();
        execute(dataSource, "CREATE TABLE orders (id BIGINT GENERATED ALWAYS AS IDENTITY, seats INT NOT NULL)");

        Operation<String> create =
                Operation.named("order.create").returning(String.class).build();
        var call = create.call(Scope.of("alice"), "7f3c", Fingerprint.of("2 seats"));
        // snippet: same-transaction
        Oncegate once = Oncegate.sameTransaction(JdbcTransactionalRecordStore.of(dataSource))
                .build();

        Outcome<String> outcome = once.run(call, claim -> {
            // the record is in this connection's transaction; both commit together, or neither does
            Connection connection = claim.unwrap(Connection.class);
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("INSERT INTO orders (seats) VALUES (2)");
            }
            return "two seats";
        });
        // end snippet

        assertThat(outcome).isEqualTo(new Outcome.Executed<>("two seats"));
        assertThat(once.run(call, claim -> "not run")).isEqualTo(new Outcome.Replayed<>("two seats"));
        assertThat(orders(dataSource)).isOne();
        once.close();
        execute(dataSource, "SHUTDOWN");
    }

    private static void execute(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int orders(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM orders")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static final class SoldOut extends RuntimeException {
        private static final long serialVersionUID = 1L;

        SoldOut(String message) {
            super(message);
        }
    }

    @Test
    void refusal() {
        AtomicInteger asked = new AtomicInteger();
        try (Oncegate once = Oncegate.claimed(new MemoryRecordStore()).build()) {
            // snippet: refusal
            Operation<String> create = Operation.named("order.create")
                    .returning(String.class)
                    .refusal("sold-out", SoldOut.class, SoldOut::new)
                    .build();
            var call = create.call(Scope.of("bob"), "91aa", Fingerprint.of("2 seats"));
            Outcome<String> outcome = once.run(call, claim -> {
                asked.incrementAndGet();
                throw new SoldOut("no seat left");
            });
            // kept: whoever asks again with this key is refused in the same way, also when seats are free again
            // end snippet

            assertThatThrownBy(outcome::orElseThrow).isInstanceOf(SoldOut.class);
            Outcome<String> again = once.run(call, claim -> placeOrder(2));
            assertThatThrownBy(again::orElseThrow).isInstanceOf(SoldOut.class).hasMessage("no seat left");
            assertThat(again.replayed()).isTrue();
            assertThat(asked).hasValue(1);
            assertThat(placed).hasValue(0);
        }
    }
}
