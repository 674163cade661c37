package io.oncegate.jdbc;

import io.oncegate.core.state.Firing;
import io.oncegate.core.state.StateEvent;
import io.oncegate.core.state.StateMachine;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.params.provider.Arguments;

/** Orders whose state a machine moves, in a fresh database. Each transition to PAID or SHIPPED leaves a row of the business. */
final class StateScene implements AutoCloseable {
    enum Order {
        NEW,
        PAYING,
        FAILED,
        PAID,
        SHIPPED
    }

    enum Event {
        AUTHORISED,
        PAID,
        FAILED,
        SHIPPED,
        NOTED
    }

    static final StateTable TABLE = StateTable.of("orders", "order_no", "status", "version");

    static final StateMachine<Order, Event> MACHINE = StateMachine.named("order", Order.class, Event.class)
            .initial(Order.NEW)
            .transition(Order.NEW, Event.AUTHORISED, Order.PAYING)
            .transition(Order.NEW, Event.FAILED, Order.FAILED)
            .transition(Order.PAYING, Event.FAILED, Order.FAILED)
            .transition(Order.NEW, Event.PAID, Order.PAID, t -> t.action(StateScene::book))
            .transition(Order.PAYING, Event.PAID, Order.PAID, t -> t.action(StateScene::book))
            .transition(Order.FAILED, Event.PAID, Order.PAID, t -> t.action(StateScene::book))
            .transition(Order.PAID, Event.NOTED, Order.PAID, t -> t.action(StateScene::book))
            .transition(Order.PAID, Event.SHIPPED, Order.SHIPPED, t -> t.action(StateScene::book))
            .end(Order.SHIPPED)
            .build();

    final TestSetup.Open open;
    final DataSource pool;
    final JdbcStateMachine<Order, Event> orders;

    StateScene(TestSetup setup, int poolSize, int isolation) {
        open = setup.open();
        pool = open.pool(poolSize);
        JdbcSchema.states(open.small).create();
        open.execute("CREATE TABLE orders (order_no VARCHAR(64) NOT NULL PRIMARY KEY, status VARCHAR(20) NOT NULL,"
                + " version BIGINT NOT NULL)");
        orders = builder(own(pool, isolation)).build();
    }

    StateScene(TestSetup setup) {
        this(setup, 4, Connection.TRANSACTION_READ_COMMITTED);
    }

    /** One of each kind, under two isolation levels. */
    static Stream<Arguments> meetings() {
        return TestSetup.KINDS.stream()
                .flatMap(setup -> Stream.of(
                        Arguments.of(setup, Connection.TRANSACTION_READ_COMMITTED),
                        Arguments.of(setup, Connection.TRANSACTION_REPEATABLE_READ)));
    }

    static TransactionSource own(DataSource source, int isolation) {
        return () -> {
            OwnTransaction transaction = OwnTransaction.begin(source);
            transaction.connection().setTransactionIsolation(isolation);
            return transaction;
        };
    }

    JdbcStateMachine.Builder<Order, Event> builder(TransactionSource source) {
        return JdbcStateMachine.builder(MACHINE, TABLE, source).history(history());
    }

    StateHistory history() {
        return open.setup.mysqlDialect()
                ? StateHistory.of(new MySqlDialect(StateHistory.DEFAULT_TABLE))
                : StateHistory.of();
    }

    /** A row of the business, named after order and event. */
    static void book(Firing<?, ?> firing) {
        TestSetup.insertBusiness(firing.unwrap(Connection.class), firing.key() + " " + firing.event());
    }

    static StateEvent<Event> event(Event event, String id) {
        return StateEvent.of(event, id);
    }

    Connection transaction(int isolation) throws SQLException {
        Connection connection = pool.getConnection();
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(isolation);
        return connection;
    }

    void order(String number) {
        open.execute("INSERT INTO orders VALUES ('" + number + "', 'NEW', 0)");
    }

    RowState<Order> state(String number) {
        return orders.find(number).orElseThrow();
    }

    long historyRows() {
        return open.number("SELECT COUNT(*) FROM oncegate_state_history");
    }

    @Override
    public void close() {
        open.close();
    }
}
