package io.oncegate.jdbc;

import static io.oncegate.jdbc.StateScene.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.MissingEntityException;
import io.oncegate.core.error.UnknownStateException;
import io.oncegate.core.state.Fired;
import io.oncegate.core.state.StateMachine;
import io.oncegate.jdbc.StateScene.Event;
import io.oncegate.jdbc.StateScene.Order;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows whose state is none of the machine's, and keys that no row can have. */
class StateRowsIT {
    private static final StateMachine<Order, Event> SHORT = StateMachine.named("short", Order.class, Event.class)
            .initial(Order.NEW)
            .transition(Order.NEW, Event.PAID, Order.PAID)
            .end(Order.PAID)
            .without(Order.PAYING, Order.FAILED, Order.SHIPPED)
            .ignoring(Event.AUTHORISED, Event.FAILED, Event.SHIPPED, Event.NOTED)
            .build();

    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    private static JdbcStateMachine<Order, Event> machine(
            StateScene scene, StateMachine<Order, Event> declared, StateTable table) {
        return JdbcStateMachine.builder(declared, table, TransactionSource.of(scene.pool))
                .history(scene.history())
                .build();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aRowInAStateThatTheMachineHasNotIsAnErrorAndNoRefusal(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            scene.order("o");
            JdbcStateMachine<Order, Event> without = machine(scene, SHORT, StateScene.TABLE);
            scene.open.execute("UPDATE orders SET status = 'SHIPPED'");
            assertThatThrownBy(() -> without.fire("o", event(Event.PAID, "p")))
                    .as("declared with without()")
                    .isInstanceOf(UnknownStateException.class);
            assertThatThrownBy(() -> without.find("o")).isInstanceOf(UnknownStateException.class);
            for (String odd : List.of("paid", "PAID ", " PAID", "")) {
                scene.open.execute("UPDATE orders SET status = '" + odd + "'");
                assertThatThrownBy(() -> scene.orders.fire("o", event(Event.SHIPPED, "s")))
                        .as("'%s'", odd)
                        .isInstanceOf(UnknownStateException.class);
            }
            assertThat(scene.historyRows()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aKeyThatItsColumnCannotHaveIsThatOfNoRow(TestSetup setup) throws Exception {
        try (StateScene scene = new StateScene(setup)) {
            scene.open.execute("CREATE TABLE numbered (id BIGINT NOT NULL PRIMARY KEY, code VARCHAR(8), version INT)");
            scene.open.execute("INSERT INTO numbered VALUES (0, 'NEW', 0), (5, 'NEW', 0)");
            JdbcStateMachine<Order, Event> numbered =
                    machine(scene, StateScene.MACHINE, StateTable.of("numbered", "id", "code", "version"));
            for (String key : List.of("abc", "5x", "5 ", "05", "5.0", "99999999999999999999")) {
                assertMissing(scene, numbered, key);
            }
            assertThat(numbered.fire("5", event(Event.PAID, "p"))).isInstanceOf(Fired.Applied.class);

            scene.open.execute("CREATE TABLE marked (id UUID NOT NULL PRIMARY KEY, code VARCHAR(8), version INT)");
            UUID key = UUID.fromString("018f0000-0000-7000-8000-00000000abcd");
            scene.open.execute("INSERT INTO marked VALUES ('" + key + "', 'NEW', 0)");
            JdbcStateMachine<Order, Event> marked =
                    machine(scene, StateScene.MACHINE, StateTable.of("marked", "id", "code", "version"));
            assertMissing(scene, marked, "order 7");
            assertThat(marked.fire(key, event(Event.PAID, "p"))).isInstanceOf(Fired.Applied.class);
            assertThat(marked.fire(key.toString(), event(Event.PAID, "p"))).isInstanceOf(Fired.AlreadyApplied.class);

            assertMissing(scene, scene.orders, "\uD83D\uDE00");
            assertThatThrownBy(() -> scene.orders.fire("o\0", event(Event.PAID, "p")))
                    .isInstanceOf(InvalidKeyException.class);
            assertThatThrownBy(() -> scene.orders.find("o\0")).isInstanceOf(InvalidKeyException.class);
        }
    }

    private static void assertMissing(StateScene scene, JdbcStateMachine<Order, Event> machine, String key)
            throws Exception {
        assertThatThrownBy(() -> machine.fire(key, event(Event.PAID, "p")))
                .as(key)
                .isInstanceOf(MissingEntityException.class);
        assertThat(machine.find(key)).as(key).isEmpty();
        try (Connection caller = scene.transaction(Connection.TRANSACTION_READ_COMMITTED)) {
            assertThatThrownBy(() -> machine.fire(caller, key, event(Event.PAID, "p")))
                    .isInstanceOf(MissingEntityException.class);
            TestSetup.insertBusiness(caller, "goes on");
            caller.rollback();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C97: a purge leaves out what somebody holds locked, and waits for nobody")
    void aPurgeOfTheHistoryLeavesOutWhatIsLocked(TestSetup setup) throws Exception {
        try (StateScene scene = new StateScene(setup)) {
            for (String order : List.of("a", "b", "c")) {
                scene.order(order);
                scene.orders.fire(order, event(Event.PAID, "p"));
            }
            scene.open.execute("UPDATE oncegate_state_history SET fired_at = 1");
            StateHistory history = scene.history();
            try (Connection holder = scene.transaction(Connection.TRANSACTION_READ_COMMITTED);
                    PreparedStatement lock =
                            holder.prepareStatement("SELECT id FROM oncegate_state_history WHERE id = ? FOR UPDATE")) {
                lock.setBytes(1, StateKey.of("b").event("order", "p").id().toBytes());
                assertThat(lock.executeQuery().next()).isTrue();
                assertThat(history.purge(scene.pool, Duration.ofDays(1), 10)).isEqualTo(2);
                holder.rollback();
            }
            assertThat(history.purge(scene.pool, Duration.ofDays(1), 10)).isEqualTo(1);
        }
    }
}
