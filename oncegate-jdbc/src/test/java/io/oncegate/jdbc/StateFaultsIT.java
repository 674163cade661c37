package io.oncegate.jdbc;

import static io.oncegate.jdbc.StateScene.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.state.Fired;
import io.oncegate.core.state.StateMachine;
import io.oncegate.jdbc.StateScene.Event;
import io.oncegate.jdbc.StateScene.Order;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.h2.jdbc.JdbcConnection;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Firings that are cut off, and actions that do what they should not. */
class StateFaultsIT {
    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    private static RetryPolicy once() {
        return RetryPolicy.DEFAULT.withAttempts(1);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aKillBetweenActionAndCommitLeavesNothing(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            scene.order("o");
            JdbcStateMachine<Order, Event> orders = scene.builder(TransactionSource.of(scene.pool))
                    .retry(once())
                    .build();
            assertThatThrownBy(() -> orders.fire(
                            "o", event(Event.PAID, "p"), firing -> kill(scene, firing.unwrap(Connection.class))))
                    .isInstanceOfAny(OutcomeNotRecordedException.class, StoreUnavailableException.class);
            assertThat(scene.orders.fire("o", event(Event.PAID, "p")))
                    .as("the database may still be busy undoing the first one, and is waited for")
                    .isEqualTo(new Fired.Applied<>(Order.NEW, Order.PAID, 1));
            assertThat(scene.open.businessRows("o PAID")).isEqualTo(1);
            assertThat(scene.historyRows()).isEqualTo(1);
        }
    }

    private static void kill(StateScene scene, Connection connection) {
        try {
            if (scene.open.setup == TestSetup.H2) {
                // H2 knows no abort, and the pool would hand the dead connection out again.
                JdbcConnection dead = connection.unwrap(JdbcConnection.class);
                ((HikariDataSource) scene.pool).evictConnection(connection);
                dead.close();
            } else {
                connection.abort(Runnable::run);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Commits, and then says that the reply was lost. */
    private static TransactionSource losingTheFirstReply(TransactionSource source) {
        AtomicInteger begun = new AtomicInteger();
        return () -> {
            JdbcTransaction transaction = source.begin();
            return begun.getAndIncrement() > 0 ? transaction : new LostReply(transaction);
        };
    }

    private record LostReply(JdbcTransaction transaction) implements JdbcTransaction {
        @Override
        public Connection connection() {
            return transaction.connection();
        }

        @Override
        public boolean joined() {
            return false;
        }

        @Override
        public boolean threadBound() {
            return false;
        }

        @Override
        public void commit() throws SQLException {
            transaction.commit();
            throw new SQLException("the reply was lost", "08006");
        }

        @Override
        public void rollback() throws SQLException {
            transaction.rollback();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aCommitWhoseReplyWasLostIsFoundInTheHistoryAndAnsweredAsItsOwn(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            scene.order("o");
            JdbcStateMachine<Order, Event> orders = scene.builder(losingTheFirstReply(TransactionSource.of(scene.pool)))
                    .build();
            assertThat(orders.fire("o", event(Event.PAID, "p")))
                    .isEqualTo(new Fired.Applied<>(Order.NEW, Order.PAID, 1));
            assertThat(scene.open.businessRows("o PAID")).isEqualTo(1);

            JdbcStateMachine<Order, Event> impatient = scene.builder(
                            losingTheFirstReply(TransactionSource.of(scene.pool)))
                    .retry(once())
                    .build();
            assertThatThrownBy(() -> impatient.fire("o", event(Event.SHIPPED, "s")))
                    .isInstanceOf(OutcomeNotRecordedException.class)
                    .hasMessageContaining("send the same request again");
            assertThat(impatient.fire("o", event(Event.SHIPPED, "s")))
                    .isEqualTo(new Fired.AlreadyApplied<>(Order.PAID, Order.SHIPPED, 2));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aCommitThatNeverArrivedIsMadeAgainAndAFailureOfTheBusinessIsNot(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            scene.order("o");
            AtomicInteger runs = new AtomicInteger();
            JdbcStateMachine<Order, Event> orders =
                    scene.builder(TransactionSource.of(scene.pool)).build();
            assertThatThrownBy(() -> orders.fire("o", event(Event.PAID, "p"), firing -> {
                        if (runs.incrementAndGet() == 2) {
                            throw new IllegalStateException("sold out");
                        }
                        kill(scene, firing.unwrap(Connection.class));
                    }))
                    .isInstanceOfAny(IllegalStateException.class, StoreUnavailableException.class);
            assertThat(runs).hasValueLessThanOrEqualTo(2);
            assertThat(scene.state("o")).isEqualTo(new RowState<>(Order.NEW, 0));
            assertThat(scene.historyRows()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void anActionThatEndsTheTransactionIsNoTransition(TestSetup setup) throws Exception {
        try (StateScene scene = new StateScene(setup)) {
            scene.order("o");
            JdbcStateMachine<Order, Event> orders = scene.builder(TransactionSource.of(scene.pool))
                    .retry(once())
                    .build();
            assertThatThrownBy(() -> orders.<SQLException>fire("o", event(Event.PAID, "p"), firing -> {
                        Connection connection = firing.unwrap(Connection.class);
                        if (setup.postgres()) {
                            // as of then everything is refused, and the commit is a rollback without a word
                            try (Statement statement = connection.createStatement()) {
                                statement.execute("SELECT no_such_column FROM orders");
                            } catch (SQLException swallowed) {
                                return;
                            }
                        }
                        connection.rollback(); // as a deadlock does whose exception is swallowed
                        TestSetup.insertBusiness(connection, "alone");
                    }))
                    .isInstanceOf(StoreUnavailableException.class);
            assertThat(scene.state("o")).isEqualTo(new RowState<>(Order.NEW, 0));
            assertThat(scene.historyRows()).isZero();
            assertThat(scene.open.businessRows("o PAID") + scene.open.businessRows("alone"))
                    .isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aGuardThatEndsTheTransactionMovesNothingPastAnother(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            scene.order("o");
            AtomicInteger asked = new AtomicInteger();
            StateMachine<Order, Event> leaky = StateMachine.named("leaky", Order.class, Event.class)
                    .initial(Order.NEW)
                    .transition(
                            Order.NEW,
                            Event.FAILED,
                            Order.FAILED,
                            t -> t.guard("leaks", firing -> {
                                if (asked.incrementAndGet() == 1) {
                                    // as a deadlock does whose exception is swallowed: the row is free for others
                                    firing.unwrap(Connection.class).rollback();
                                    assertThat(scene.state("o").state()).isEqualTo(Order.NEW);
                                    scene.open.execute("UPDATE orders SET status = 'PAID', version = version + 1");
                                }
                                return true;
                            }))
                    .transition(Order.NEW, Event.PAID, Order.PAID)
                    .end(Order.PAID, Order.FAILED)
                    .without(Order.PAYING, Order.SHIPPED)
                    .ignoring(Event.AUTHORISED, Event.SHIPPED, Event.NOTED)
                    .build();
            JdbcStateMachine<Order, Event> orders = JdbcStateMachine.builder(
                            leaky, StateScene.TABLE, TransactionSource.of(scene.pool))
                    .history(scene.history())
                    .build();
            assertThat(orders.fire("o", event(Event.FAILED, "f")))
                    .isEqualTo(new Fired.Illegal<>(Order.PAID, 1, leaky.allowed(Order.PAID), false, false));
            assertThat(scene.state("o")).isEqualTo(new RowState<>(Order.PAID, 1));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void anActionMayFireOnItsOwnConnectionAndOnNoOther(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            scene.order("o");
            assertThatThrownBy(() -> scene.orders.fire(
                            "o", event(Event.PAID, "p"), firing -> scene.orders.fire("o", event(Event.SHIPPED, "s"))))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Firing.unwrap");
            assertThat(scene.state("o")).isEqualTo(new RowState<>(Order.NEW, 0));

            assertThat(scene.orders.fire(
                            "o",
                            event(Event.PAID, "p"),
                            firing ->
                                    scene.orders.fire(firing.unwrap(Connection.class), "o", event(Event.SHIPPED, "s"))))
                    .isEqualTo(new Fired.Applied<>(Order.NEW, Order.PAID, 1));
            assertThat(scene.state("o")).isEqualTo(new RowState<>(Order.SHIPPED, 2));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aDeadlockInAnActionIsTriedAgainInAFreshTransaction(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            scene.order("o");
            AtomicInteger runs = new AtomicInteger();
            assertThat(scene.orders.fire("o", event(Event.PAID, "p"), firing -> {
                        if (runs.incrementAndGet() < 3) {
                            throw new IllegalStateException(new SQLException("deadlock", "40001"));
                        }
                    }))
                    .isEqualTo(new Fired.Applied<>(Order.NEW, Order.PAID, 1));
            assertThat(runs).hasValue(3);
            assertThat(scene.open.businessRows("o PAID")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aRowThatSomebodyKeepsLockedEndsInATypedErrorAndNothingIsLeft(TestSetup setup) throws Exception {
        try (StateScene scene = new StateScene(setup);
                Connection locker = scene.transaction(Connection.TRANSACTION_READ_COMMITTED)) {
            scene.order("o");
            JdbcStateMachine<Order, Event> orders = scene.builder(TransactionSource.of(scene.pool))
                    .timeout(Duration.ofMillis(800))
                    .build();
            try (Statement statement = locker.createStatement()) {
                statement.executeUpdate("UPDATE orders SET version = version WHERE order_no = 'o'");
            }
            assertThatThrownBy(() -> orders.fire("o", event(Event.PAID, "p")))
                    .isInstanceOf(StoreUnavailableException.class);
            locker.rollback();
            assertThat(scene.orders.fire("o", event(Event.PAID, "p"))).isInstanceOf(Fired.Applied.class);
            assertThat(scene.open.businessRows("o PAID")).isEqualTo(1);
        }
    }
}
