package io.oncegate.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.state.Fired;
import io.oncegate.core.state.Firing;
import io.oncegate.core.state.StateEvent;
import io.oncegate.core.state.StateMachine;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.jdbc.JdbcStateMachine;
import io.oncegate.jdbc.StateTable;
import io.oncegate.jdbc.TransactionSource;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What docs/state-machine.md shows. */
class StateMachineTourTest {
    private enum OrderState {
        PENDING_PAYMENT,
        PAID,
        SHIPPED,
        COMPLETED,
        CANCELLED
    }

    private enum OrderEvent {
        PAY,
        SHIP,
        COMPLETE,
        CANCEL
    }

    private record Payment(String number, long cents) {}

    // snippet: declaration
    private static final StateMachine<OrderState, OrderEvent> ORDER = StateMachine.named(
                    "order", OrderState.class, OrderEvent.class)
            .initial(OrderState.PENDING_PAYMENT)
            .transition(
                    OrderState.PENDING_PAYMENT,
                    OrderEvent.PAY,
                    OrderState.PAID,
                    t -> t.guard("the whole amount", StateMachineTourTest::isWhole)
                            .action(StateMachineTourTest::book))
            .transition(OrderState.PENDING_PAYMENT, OrderEvent.CANCEL, OrderState.CANCELLED)
            .transition(OrderState.PAID, OrderEvent.SHIP, OrderState.SHIPPED)
            .transition(OrderState.SHIPPED, OrderEvent.COMPLETE, OrderState.COMPLETED)
            .end(OrderState.COMPLETED, OrderState.CANCELLED)
            .build();
    // end snippet

    private final TestDatabase database = Databases.H2.fresh();
    private final DataSource dataSource = database.pool(2, true);

    // snippet: guard-and-action
    private static boolean isWhole(Firing<OrderState, OrderEvent> firing) {
        return firing.payload(Payment.class).cents() == 4_200;
    }

    private static void book(Firing<OrderState, OrderEvent> firing) throws SQLException {
        Connection connection = firing.unwrap(Connection.class); // the transaction of the transition
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO ledger VALUES (?, ?)")) {
            insert.setString(1, (String) firing.key());
            insert.setLong(2, firing.payload(Payment.class).cents());
            insert.executeUpdate();
        }
    }
    // end snippet

    @BeforeEach
    void open() throws SQLException {
        JdbcSchema.states(dataSource).create();
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE orders (order_no VARCHAR(40) PRIMARY KEY, status VARCHAR(20) NOT NULL,"
                    + " version BIGINT DEFAULT 0 NOT NULL)");
            statement.execute("CREATE TABLE ledger (order_no VARCHAR(40), cents BIGINT)");
            statement.execute("INSERT INTO orders (order_no, status) VALUES ('A-17', 'PENDING_PAYMENT')");
        }
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void firing() {
        // snippet: firing
        JdbcStateMachine<OrderState, OrderEvent> orders = JdbcStateMachine.of(
                ORDER, StateTable.of("orders", "order_no", "status", "version"), TransactionSource.of(dataSource));

        Payment payment = new Payment("payment-881", 4_200);
        StateEvent<OrderEvent> paid =
                StateEvent.of(OrderEvent.PAY, payment.number()).carrying(payment, Fingerprint.of("4200 EUR"));

        Fired<OrderState, OrderEvent> fired = orders.fire("A-17", paid);
        // end snippet
        assertThat(fired).isEqualTo(new Fired.Applied<>(OrderState.PENDING_PAYMENT, OrderState.PAID, 1));
        assertThat(answer(fired)).isEqualTo("200 PAID");
        assertThat(answer(orders.fire("A-17", paid))).isEqualTo("200 PAID");
        assertThat(answer(orders.fire(
                        "A-17",
                        StateEvent.of(OrderEvent.PAY, "payment-882").carrying(payment, Fingerprint.of("4200 EUR")))))
                .isEqualTo("409 PAID, allowed: [SHIP]");
    }

    private static String answer(Fired<OrderState, OrderEvent> fired) {
        // snippet: outcomes
        if (fired instanceof Fired.Applied<OrderState, OrderEvent> now) {
            return "200 " + now.to(); // made now, actions have run
        } else if (fired instanceof Fired.AlreadyApplied<OrderState, OrderEvent> before) {
            return "200 " + before.to(); // the same event came again: the first answer, nothing was run
        } else if (fired instanceof Fired.Illegal<OrderState, OrderEvent> no) {
            return "409 " + no.state() + ", allowed: " + no.allowed(); // nothing was run; recorded
        }
        // end snippet
        throw new IllegalStateException("there are three outcomes");
    }

    @Test
    void thePageHasTheDiagramThatTheMachinePrints() throws IOException {
        String page = Files.readString(
                Path.of("").toAbsolutePath().getParent().resolve("docs").resolve("state-machine.md"));
        assertThat(page).contains("```mermaid\n" + ORDER.mermaid() + "```");
    }
}
