package io.oncegate.jdbc;

import static io.oncegate.jdbc.StateScene.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.MismatchException;
import io.oncegate.core.error.StaleFenceException;
import io.oncegate.core.error.StaleVersionException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.state.Fired;
import io.oncegate.jdbc.StateScene.Event;
import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables and columns whose names are reserved words, or written in upper and lower case. */
class QuotedNamesIT {
    private static final RowReader<String> BUYER = row -> row.getString("Buyer Id") + row.getString("select");

    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    private static TestSetup.Open withOrders(TestSetup setup) {
        TestSetup.Open open = setup.open();
        String binary = setup.mysqlFamily() ? " CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin" : "";
        String sql =
                "CREATE TABLE \"order\" (\"Buyer Id\" VARCHAR(40)" + binary + " NOT NULL, \"key\" VARCHAR(40)" + binary
                        + " NOT NULL, \"select\" FLOAT NOT NULL, \"group\" VARCHAR(20) DEFAULT 'NEW' NOT NULL,"
                        + " \"desc\" BIGINT DEFAULT 0 NOT NULL, CONSTRAINT \"UK order\" UNIQUE (\"Buyer Id\", \"key\"))";
        open.execute(setup.mysqlFamily() ? Names.mySql(sql) : sql);
        return open;
    }

    private static Map<String, Object> order(String key, double amount) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("`Buyer Id`", "b");
        values.put("`key`", key);
        values.put("`select`", amount);
        return values;
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void insertFirst(TestSetup setup) throws Exception {
        try (TestSetup.Open open = withOrders(setup);
                Connection connection = open.pool(1, false).getConnection()) {
            InsertFirst.Builder builder = InsertFirst.into("`order`")
                    .guard(UniqueConstraint.named("`UK order`"), "`Buyer Id`", "`key`")
                    .content("`select`")
                    .reading("`Buyer Id`", "`select`");
            InsertFirst orders = (setup.mysqlDialect() ? builder.kind(DatabaseKind.MYSQL) : builder).build();
            orders.check(open.small);
            assertThat(orders.insert(connection, order("k", 1.5), BUYER).first())
                    .isTrue();
            connection.commit();
            assertThat(orders.insert(connection, order("k", 1.5), BUYER).first())
                    .isFalse();
            assertThatThrownBy(() -> orders.insert(connection, order("k", 2), BUYER))
                    .isInstanceOf(MismatchException.class);
            assertThat(orders.insert(connection, order("K", 1.5), BUYER).first())
                    .isTrue();
            connection.rollback();
            assertThat(orders.insert(open.small, order("k", 1.5), BUYER).first())
                    .isFalse();
            assertThatThrownBy(() -> InsertFirst.into("\"order\"")
                            .guard(UniqueConstraint.named("uk_other"), "\"Buyer Id\"", "\"key\"")
                            .keyAlone()
                            .build()
                            .check(open.small))
                    .isInstanceOf(SchemaException.class)
                    .hasMessageContaining("UK order (Buyer Id, key)");
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void versionsFencesAndStates(TestSetup setup) throws Exception {
        try (TestSetup.Open open = withOrders(setup)) {
            String row = "INSERT INTO \"order\" (\"Buyer Id\", \"key\", \"select\") VALUES ('b', 'k', 1)";
            open.execute(setup.mysqlFamily() ? Names.mySql(row) : row);
            JdbcSchema.states(open.small).create();
            VersionedUpdate versions = VersionedUpdate.of("\"order\"", "\"desc\"", "\"key\"");
            FenceColumn fences = FenceColumn.of("\"order\"", "\"key\"", "\"desc\"");
            StateTable table = StateTable.of("\"order\"", "\"key\"", "\"group\"", "\"desc\"");
            JdbcStateMachine<StateScene.Order, Event> machine = JdbcStateMachine.builder(
                            StateScene.MACHINE, table, TransactionSource.of(open.pool(1)))
                    .history(
                            setup.mysqlDialect()
                                    ? StateHistory.of(new MySqlDialect(StateHistory.DEFAULT_TABLE))
                                    : StateHistory.of())
                    .build();
            try (Connection connection = open.small.getConnection()) {
                connection.setAutoCommit(false);
                assertThat(versions.update(connection, "k", 0L, Map.of("\"select\"", 2.0)))
                        .isEqualTo(1);
                assertThat(versions.updateAll(
                                connection, List.of(new VersionedUpdate.Row("k", 1L, Map.of("\"select\"", 3.0)))))
                        .containsExactly(2L);
                assertThatThrownBy(() -> versions.update(connection, "k", 1L, Map.of()))
                        .isInstanceOf(StaleVersionException.class);
                assertThatThrownBy(() -> versions.update(connection, "k", 2L, Map.of("DESC", 9)))
                        .isInstanceOf(IllegalArgumentException.class);
                connection.commit();
            }
            assertThat(machine.fire("k", event(Event.PAID, "p"))).isInstanceOf(Fired.Applied.class);
            assertThat(machine.fire("k", event(Event.PAID, "p"))).isInstanceOf(Fired.AlreadyApplied.class);
            OperationKey key = OperationKey.of("order.pay", Scope.global(), "k");
            try (Connection connection = open.small.getConnection()) {
                assertThat(fences.raise(connection, key, 9, "k")).isTrue();
                assertThatThrownBy(() -> fences.update(connection, key, 8, "k", Map.of("\"select\"", 1)))
                        .isInstanceOf(StaleFenceException.class);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "a b",
                "a;b",
                "\"",
                "\"\"",
                "\"a",
                "a\"",
                "\"a\"b\"",
                "\"a`",
                "`a\"",
                "\"a.b\"",
                "\"a\\\"",
                "\"?\"",
                "a.b.c"
            })
    void whatIsNoNameIsRefused(String name) {
        assertThatThrownBy(() -> InsertFirst.into(name)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> VersionedUpdate.of("t", name, "id")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> StateTable.of("t", name, "s", "v")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> FenceColumn.of("t", name, "f")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aNameInQuotesIsTheSameAsWithout() {
        assertThatThrownBy(() -> FenceColumn.of("t", "id", "fence")
                        .update(null, OperationKey.of("o", Scope.global(), "k"), 1, "id", Map.of("\"Fence\"", 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot be written");
    }
}
