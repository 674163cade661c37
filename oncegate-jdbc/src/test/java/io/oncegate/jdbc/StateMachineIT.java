package io.oncegate.jdbc;

import static io.oncegate.jdbc.StateScene.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.MismatchException;
import io.oncegate.core.error.MissingEntityException;
import io.oncegate.core.error.UnknownStateException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.state.Fired;
import io.oncegate.core.state.StateEvent;
import io.oncegate.core.state.StateMachine;
import io.oncegate.jdbc.StateScene.Event;
import io.oncegate.jdbc.StateScene.Order;
import java.io.IOException;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a firing answers and what it leaves, on the databases and with the driver settings that change how they count. */
class StateMachineIT {
    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("C61: the same id again is a repeat and runs nothing; another id is a conflict and no silent success")
    void aRepeatIsToldFromAConflict(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            scene.order("o");
            assertThat(scene.orders.fire("o", event(Event.PAID, "payment-1")))
                    .isEqualTo(new Fired.Applied<>(Order.NEW, Order.PAID, 1));
            assertThat(scene.orders.fire("o", event(Event.PAID, "payment-1")))
                    .isEqualTo(new Fired.AlreadyApplied<>(Order.NEW, Order.PAID, 1));
            assertThat(scene.orders.fire("o", event(Event.PAID, "payment-2")))
                    .isEqualTo(new Fired.Illegal<>(Order.PAID, 1, StateScene.MACHINE.allowed(Order.PAID), true, false));
            assertThat(scene.open.businessRows("o PAID")).isEqualTo(1);

            scene.orders.fire("o", event(Event.SHIPPED, "parcel"));
            assertThat(scene.orders.fire("o", event(Event.PAID, "payment-1")))
                    .as("the first answer, although the order is further on")
                    .isEqualTo(new Fired.AlreadyApplied<>(Order.NEW, Order.PAID, 1));
            assertThat(scene.state("o")).isEqualTo(new RowState<>(Order.SHIPPED, 2));
            assertThat(scene.open.businessRows("o PAID")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void anEventThatLeadsBackToItsStateIsAppliedOnceForEachId(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            scene.order("o");
            scene.orders.fire("o", event(Event.PAID, "p"));
            for (int round = 0; round < 2; round++) {
                scene.orders.fire("o", event(Event.NOTED, "n"));
                scene.orders.fire("o", event(Event.NOTED, "N"));
                scene.orders.fire("o", event(Event.NOTED, "n "));
            }
            assertThat(scene.open.businessRows("o NOTED")).isEqualTo(3);
            assertThat(scene.state("o")).isEqualTo(new RowState<>(Order.PAID, 4));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theSameIdWithAnotherEventOrContentIsAMismatch(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            scene.order("o");
            StateEvent<Event> paid = event(Event.PAID, "id").carrying("5 EUR", Fingerprint.of("5 EUR"));
            assertThat(scene.orders.fire("o", paid)).isInstanceOf(Fired.Applied.class);
            assertThat(scene.orders.fire("o", paid)).isInstanceOf(Fired.AlreadyApplied.class);
            assertThatThrownBy(() ->
                            scene.orders.fire("o", event(Event.PAID, "id").carrying("9 EUR", Fingerprint.of("9 EUR"))))
                    .isInstanceOfSatisfying(
                            MismatchException.class, e -> assertThat(e.parts()).containsExactly("payload"));
            assertThatThrownBy(() -> scene.orders.fire("o", event(Event.SHIPPED, "id")))
                    .isInstanceOfSatisfying(
                            MismatchException.class, e -> assertThat(e.parts()).containsExactly("event", "payload"))
                    .hasMessageNotContaining("5 EUR");
            assertThat(scene.state("o")).isEqualTo(new RowState<>(Order.PAID, 1));
            scene.order("other");
            assertThat(scene.orders.fire("other", event(Event.PAID, "id")))
                    .as("an id counts within its row")
                    .isInstanceOf(Fired.Applied.class);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C59: a refused event is recorded, and does not stand in the way of the same event later on")
    void aRefusalIsRecordedAndWrittenOver(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            scene.order("o");
            for (int i = 0; i < 3; i++) {
                assertThat(scene.orders.fire("o", event(Event.SHIPPED, "parcel")))
                        .isEqualTo(
                                new Fired.Illegal<>(Order.NEW, 0, StateScene.MACHINE.allowed(Order.NEW), false, false));
            }
            assertThat(scene.orders.history("o", 10)).singleElement().satisfies(entry -> {
                assertThat(entry.applied()).isFalse();
                assertThat(entry.refusals()).isEqualTo(3);
                assertThat(entry.eventId()).isEqualTo("parcel");
                assertThat(entry.from()).isEqualTo("NEW");
                assertThat(entry.toString()).doesNotContain("parcel");
            });
            assertThat(scene.state("o")).isEqualTo(new RowState<>(Order.NEW, 0));

            scene.orders.fire("o", event(Event.PAID, "p"));
            assertThat(scene.orders.fire("o", event(Event.SHIPPED, "parcel")))
                    .isEqualTo(new Fired.Applied<>(Order.PAID, Order.SHIPPED, 2));
            assertThat(scene.orders.fire("o", event(Event.SHIPPED, "parcel")))
                    .isEqualTo(new Fired.AlreadyApplied<>(Order.PAID, Order.SHIPPED, 2));
            assertThat(scene.orders.history("o", 10).stream()
                            .map(entry -> entry.event() + entry.applied() + entry.version() + entry.refusals())
                            .toList())
                    .isEqualTo(List.of("PAIDtrue10", "SHIPPEDtrue23"));
            assertThat(scene.orders.history("o", 1)).hasSize(1);
            assertThat(scene.open.businessRows("o SHIPPED")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void anActionThatFailsLeavesNothingAndTheEventMayComeAgain(TestSetup setup) throws Exception {
        try (StateScene scene = new StateScene(setup)) {
            scene.order("o");
            assertThatThrownBy(() -> scene.orders.<IOException>fire("o", event(Event.PAID, "p"), firing -> {
                        assertThat(firing.version()).isEqualTo(1);
                        throw new IOException("the printer burns");
                    }))
                    .isInstanceOf(IOException.class);
            assertThat(scene.state("o")).isEqualTo(new RowState<>(Order.NEW, 0));
            assertThat(scene.historyRows()).isZero();
            assertThat(scene.open.businessRows("o PAID")).isZero();

            try (Connection caller = scene.transaction(Connection.TRANSACTION_READ_COMMITTED)) {
                TestSetup.insertBusiness(caller, "before");
                assertThatThrownBy(() -> scene.orders.fire(caller, "o", event(Event.PAID, "p"), firing -> {
                            throw new IllegalStateException("no");
                        }))
                        .hasMessage("no");
                TestSetup.insertBusiness(caller, "after");
                caller.commit();
            }
            assertThat(scene.state("o")).isEqualTo(new RowState<>(Order.NEW, 0));
            assertThat(scene.historyRows()).isZero();
            assertThat(scene.open.businessRows("before") + scene.open.businessRows("after"))
                    .isEqualTo(2);
            assertThat(scene.orders.fire("o", event(Event.PAID, "p"))).isInstanceOf(Fired.Applied.class);
            assertThat(scene.open.businessRows("o PAID")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("io.oncegate.jdbc.StateScene#meetings")
    void whateverTheAnswerIsTheCallersTransactionGoesOnAndDecides(TestSetup setup, int isolation) throws Exception {
        try (StateScene scene = new StateScene(setup, 2, isolation)) {
            scene.order("o");
            try (Connection caller = scene.transaction(isolation)) {
                assertThat(scene.orders.fire(caller, "o", event(Event.PAID, "p")))
                        .isInstanceOf(Fired.Applied.class);
                caller.rollback();
                assertThat(scene.orders.fire("o", event(Event.PAID, "p"))).isInstanceOf(Fired.Applied.class);

                assertThat(scene.orders.fire(caller, "o", event(Event.PAID, "p")))
                        .isInstanceOf(Fired.AlreadyApplied.class);
                assertThat(scene.orders.fire(caller, "o", event(Event.PAID, "q")))
                        .isInstanceOf(Fired.Illegal.class);
                assertThatThrownBy(() -> scene.orders.fire(caller, "o", event(Event.SHIPPED, "p")))
                        .isInstanceOf(MismatchException.class);
                assertThatThrownBy(() -> scene.orders.fire(caller, "nowhere", event(Event.SHIPPED, "p")))
                        .isInstanceOf(MissingEntityException.class)
                        .hasMessageNotContaining("nowhere");
                assertThat(scene.orders.fire(caller, "o", event(Event.SHIPPED, "s")))
                        .as("two firings in one transaction")
                        .isEqualTo(new Fired.Applied<>(Order.PAID, Order.SHIPPED, 2));
                TestSetup.insertBusiness(caller, "the caller's");
                caller.commit();
                caller.setAutoCommit(true);
                assertThatThrownBy(() -> scene.orders.fire(caller, "o", event(Event.PAID, "p")))
                        .isInstanceOf(IllegalStateException.class);
            }
            assertThat(scene.open.businessRows("the caller's")).isEqualTo(1);
            assertThat(scene.state("o")).isEqualTo(new RowState<>(Order.SHIPPED, 2));
            assertThat(scene.historyRows()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aRowIsFoundByExactlyItsKey(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            scene.order("Abc");
            for (String key : new String[] {"abc", "ABC", "Abc ", " Abc", "Äbc", "Abc' OR '1'='1"}) {
                assertThatThrownBy(() -> scene.orders.fire(key, event(Event.PAID, "p")))
                        .as(key)
                        .isInstanceOf(MissingEntityException.class);
            }
            assertThat(scene.orders.find("abc")).isEmpty();
            assertThat(scene.historyRows()).isZero();
            for (Object key : new Object[] {"", " ", "x".repeat(256), 1.5, new Object()}) {
                assertThatThrownBy(() -> scene.orders.fire(key, event(Event.PAID, "p")))
                        .isInstanceOf(InvalidKeyException.class);
            }
            scene.open.execute("CREATE TABLE parts (id BIGINT NOT NULL PRIMARY KEY, code CHAR(8), version INT)");
            scene.open.execute("INSERT INTO parts VALUES (5, 'one', 0), (6, 'two', 0), (7, 'two', NULL)");
            JdbcStateMachine<Order, Event> parts = JdbcStateMachine.builder(
                            StateScene.MACHINE,
                            StateTable.of("parts", "id", "code", "version"),
                            TransactionSource.of(scene.pool))
                    .codes(state -> state == Order.NEW ? "one" : "c" + state.ordinal())
                    .history(scene.history())
                    .build();
            assertThat(parts.fire(5, event(Event.PAID, "p"))).isInstanceOf(Fired.Applied.class);
            assertThat(parts.fire(5L, event(Event.PAID, "p"))).isInstanceOf(Fired.AlreadyApplied.class);
            assertThat(parts.find(5L)).contains(new RowState<>(Order.PAID, 1));
            assertThatThrownBy(() -> parts.fire(6L, event(Event.PAID, "p"))).isInstanceOf(UnknownStateException.class);
            assertThatThrownBy(() -> parts.fire(7L, event(Event.PAID, "p")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("NOT NULL DEFAULT 0");
            assertThatThrownBy(() -> JdbcStateMachine.builder(
                                    StateScene.MACHINE, StateScene.TABLE, TransactionSource.of(scene.pool))
                            .codes(state -> 1)
                            .build())
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void codesMayBeNumbersAndKeysBytes(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            String type = setup.postgres() ? "BYTEA" : "VARBINARY(16)";
            scene.open.execute(
                    "CREATE TABLE parts (id " + type + " NOT NULL PRIMARY KEY, code SMALLINT, version BIGINT)");
            try (Connection connection = scene.pool.getConnection();
                    var insert = connection.prepareStatement("INSERT INTO parts VALUES (?, 0, 0)")) {
                connection.setAutoCommit(true);
                insert.setBytes(1, new byte[] {0, 1, -1});
                insert.executeUpdate();
            } catch (java.sql.SQLException e) {
                throw new IllegalStateException(e);
            }
            JdbcStateMachine<Order, Event> parts = JdbcStateMachine.builder(
                            StateScene.MACHINE,
                            StateTable.of("parts", "id", "code", "version"),
                            TransactionSource.of(scene.pool))
                    .codes(Order::ordinal)
                    .history(scene.history())
                    .build();
            byte[] key = {0, 1, -1};
            assertThat(parts.fire(key, event(Event.AUTHORISED, "a")))
                    .isEqualTo(new Fired.Applied<>(Order.NEW, Order.PAYING, 1));
            assertThat(parts.fire(key, event(Event.AUTHORISED, "a")))
                    .isEqualTo(new Fired.AlreadyApplied<>(Order.NEW, Order.PAYING, 1));
            assertThatThrownBy(() -> parts.fire(new byte[] {0, 1}, event(Event.AUTHORISED, "a")))
                    .isInstanceOf(MissingEntityException.class);
        }
    }

    @Test
    void postgresMayKeepStatesAsAnEnumAndKeysAsUuids() {
        try (StateScene scene = new StateScene(TestSetup.POSTGRESQL)) {
            scene.open.execute("CREATE TYPE part_state AS ENUM ('NEW', 'PAYING', 'FAILED', 'PAID', 'SHIPPED')");
            scene.open.execute(
                    "CREATE TABLE parts (id UUID PRIMARY KEY, code part_state NOT NULL, version INT NOT NULL)");
            UUID key = UUID.fromString("018f0000-0000-7000-8000-00000000ABCD");
            scene.open.execute("INSERT INTO parts VALUES ('" + key + "', 'NEW', 0)");
            JdbcStateMachine<Order, Event> parts = JdbcStateMachine.of(
                    StateScene.MACHINE,
                    StateTable.of("parts", "id", "code", "version"),
                    TransactionSource.of(scene.pool));
            assertThat(parts.fire(key, event(Event.PAID, "p"))).isInstanceOf(Fired.Applied.class);
            assertThat(parts.fire(key.toString(), event(Event.PAID, "p"))).isInstanceOf(Fired.AlreadyApplied.class);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aRepetitionIsAnsweredWithoutItsGuardAndWithoutItsRow(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            StateMachine<Order, Event> guarded = StateMachine.named("guarded", Order.class, Event.class)
                    .initial(Order.NEW)
                    .transition(
                            Order.NEW,
                            Event.PAID,
                            Order.PAID,
                            t -> t.guard("enough", firing -> firing.payload(Long.class) >= 5))
                    .transition(
                            Order.PAID,
                            Event.NOTED,
                            Order.PAID,
                            t -> t.guard("paid", firing -> {
                                if (firing.version() > 2) {
                                    throw new IllegalStateException("asked about a repetition");
                                }
                                return true;
                            }))
                    .transition(Order.PAID, Event.SHIPPED, Order.SHIPPED)
                    .end(Order.SHIPPED)
                    .without(Order.PAYING, Order.FAILED)
                    .ignoring(Event.AUTHORISED, Event.FAILED)
                    .build();
            JdbcStateMachine<Order, Event> orders = JdbcStateMachine.builder(
                            guarded, StateScene.TABLE, TransactionSource.of(scene.pool))
                    .history(scene.history())
                    .build();
            scene.order("o");
            assertThat(orders.fire("o", event(Event.PAID, "p").carrying(4L, Fingerprint.of("4"))))
                    .isEqualTo(new Fired.Illegal<>(Order.NEW, 0, guarded.allowed(Order.NEW), false, true));
            assertThat(orders.fire("o", event(Event.PAID, "p").carrying(5L, Fingerprint.of("5"))))
                    .as("a refusal binds nobody to what it carried")
                    .isInstanceOf(Fired.Applied.class);
            assertThat(orders.fire("o", event(Event.NOTED, "n"))).isInstanceOf(Fired.Applied.class);
            assertThat(orders.fire("o", event(Event.NOTED, "n")))
                    .isEqualTo(new Fired.AlreadyApplied<>(Order.PAID, Order.PAID, 2));
            scene.order("empty");
            assertThatThrownBy(() -> orders.fire("empty", event(Event.PAID, "p")))
                    .hasMessageContaining("carries nothing");
            scene.open.execute("DELETE FROM orders");
            assertThat(orders.fire("o", event(Event.NOTED, "n"))).isInstanceOf(Fired.AlreadyApplied.class);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void readingWritesNothing(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            scene.order("o");
            scene.orders.fire("o", event(Event.PAID, "p"));
            CountingSource counting = new CountingSource(scene.pool);
            JdbcStateMachine<Order, Event> orders =
                    scene.builder(TransactionSource.of(counting.source)).build();
            assertThat(orders.find("o")).contains(new RowState<>(Order.PAID, 1));
            assertThat(orders.history("o", 5)).hasSize(1);
            assertThat(orders.find("nowhere")).isEmpty();
            assertThat(counting.drain())
                    .filteredOn(call -> !call.equals("setAutoCommit") && !call.equals("commit"))
                    .hasSize(3)
                    .allSatisfy(call -> assertThat(call).startsWith("SELECT").doesNotContain("FOR UPDATE"));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aTransitionTakesThreeStatementsAndARepetitionToo(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            scene.order("o");
            CountingSource counting = new CountingSource(scene.pool);
            JdbcStateMachine<Order, Event> orders =
                    scene.builder(TransactionSource.of(counting.source)).build();
            orders.fire("o", event(Event.AUTHORISED, "a"));
            assertThat(statements(counting)).isEqualTo("SIUcommit");
            orders.fire("o", event(Event.AUTHORISED, "a"));
            assertThat(statements(counting)).isEqualTo("SIScommit");
            orders.fire("o", event(Event.SHIPPED, "s"));
            assertThat(statements(counting)).isEqualTo("SIcommit");
        }
    }

    private static String statements(CountingSource counting) {
        StringBuilder all = new StringBuilder();
        for (String call : counting.drain()) {
            String sql = call.replaceFirst("^SET STATEMENT .*? FOR ", "");
            if (sql.contains("INSERT")) {
                all.append('I');
            } else if (sql.startsWith("SELECT") || sql.startsWith("UPDATE")) {
                all.append(sql.charAt(0));
            } else if (!sql.equals("setAutoCommit")) {
                all.append(sql);
            }
        }
        return all.toString();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theHistoryIsPurgedByAge(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            JdbcSchema.states(scene.pool).check();
            for (int i = 0; i < 5; i++) {
                scene.order("o" + i);
                scene.orders.fire("o" + i, event(Event.PAID, "p"));
            }
            long day = Duration.ofDays(1).toNanos() / 1_000;
            scene.open.execute(
                    "UPDATE oncegate_state_history SET fired_at = fired_at - " + 2 * day + " WHERE version = 1");
            scene.orders.fire("o0", event(Event.SHIPPED, "s"));
            StateHistory history = scene.history();
            assertThat(history.purge(scene.pool, Duration.ofDays(1), 3)).isEqualTo(3);
            assertThat(history.purge(scene.pool, Duration.ofDays(1), 3)).isEqualTo(2);
            assertThat(history.purge(scene.pool, Duration.ofDays(1), 3)).isZero();
            assertThat(scene.orders.history("o0", 9)).hasSize(1);
            assertThatThrownBy(() -> history.purge(scene.pool, Duration.ofHours(23), 1))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
