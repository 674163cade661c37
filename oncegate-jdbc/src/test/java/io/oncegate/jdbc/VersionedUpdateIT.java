package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.error.StaleVersionException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Versioned updates, on the databases and with the driver settings that change how they count. */
class VersionedUpdateIT {
    static final VersionedUpdate SEATS = VersionedUpdate.of("seat", "version", "id");

    static Stream<TestSetup> setups() {
        return Stream.of(
                TestSetup.H2,
                TestSetup.POSTGRESQL,
                TestSetup.MARIADB,
                TestSetup.MARIADB_CHANGED_ROWS,
                TestSetup.MARIADB_BY_MYSQL_DRIVER,
                TestSetup.MARIADB_BY_MYSQL_DRIVER_CHANGED_ROWS);
    }

    static TestSetup.Open withSeats(TestSetup setup) {
        TestSetup.Open open = setup.open();
        open.execute("CREATE TABLE seat (id BIGINT NOT NULL PRIMARY KEY, row_name VARCHAR(20), amount BIGINT,"
                + " version BIGINT NOT NULL)");
        open.execute("INSERT INTO seat VALUES (1, 'a', 0, 2), (2, 'b', 0, 2), (3, 'c', 0, 2)");
        return open;
    }

    private static String seat(TestSetup.Open open, int id) throws SQLException {
        try (Connection connection = open.small.getConnection()) {
            connection.setAutoCommit(true);
            return seat(connection, id);
        }
    }

    private static String seat(Connection connection, int id) throws SQLException {
        return TestSetup.text(
                connection, "SELECT CONCAT(row_name, ' ', amount, ' v', version) FROM seat WHERE id = " + id);
    }

    @ParameterizedTest
    @MethodSource("setups")
    @DisplayName(
            "C52: a row that was loaded twice and is saved twice: the second save is a conflict that says what is there")
    void theSecondSaveIsAConflict(TestSetup setup) throws Exception {
        try (TestSetup.Open open = withSeats(setup)) {
            HikariDataSource pool = open.pool(2, false);
            for (int isolation : Orders.ISOLATIONS) {
                long id = isolation == Connection.TRANSACTION_READ_COMMITTED ? 1 : 2;
                try (Connection one = Orders.isolated(pool, isolation).getConnection();
                        Connection other = Orders.isolated(pool, isolation).getConnection()) {
                    assertThat(TestSetup.number(other, "SELECT version FROM seat WHERE id = " + id))
                            .isEqualTo(2);
                    assertThat(SEATS.update(one, id, 2L, Map.of("amount", 1L))).isEqualTo(3);
                    one.commit();
                    StaleVersionException stale = catchThrowableOfType(
                            StaleVersionException.class, () -> SEATS.update(other, id, 2L, Map.of("amount", 9L)));
                    assertThat(stale.gone()).isFalse();
                    assertThat(stale.rows())
                            .hasSize(1)
                            .allSatisfy(row -> assertThat(row.expected()).isEqualTo(2));
                    if (stale.getCause() == null) {
                        assertThat(stale).hasMessageContaining("is at version 3");
                        TestSetup.insertBusiness(other, "goes on " + isolation);
                        other.commit();
                    }
                }
                assertThat(seat(open, (int) id)).endsWith(" 1 v3");
                boolean ended = (setup.postgres() || setup == TestSetup.H2)
                        && isolation == Connection.TRANSACTION_REPEATABLE_READ;
                assertThat(open.businessRows("goes on " + isolation)).isEqualTo(ended ? 0 : 1);
            }
            try (Connection connection = open.pool(1, false).getConnection()) {
                assertThatThrownBy(() -> SEATS.update(connection, 77L, 2L, Map.of("amount", 9L)))
                        .isInstanceOfSatisfying(
                                StaleVersionException.class,
                                gone -> assertThat(gone.gone()).isTrue())
                        .hasMessageContaining("is gone")
                        .hasMessageNotContaining("77")
                        .satisfies(
                                gone -> assertThat(RetryPolicy.mayRepeat(gone)).isFalse());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    void anUpdateThatChangesNothingElseCountsAsOne(TestSetup setup) throws Exception {
        try (TestSetup.Open open = withSeats(setup);
                Connection connection = open.pool(1).getConnection()) {
            connection.setAutoCommit(true);
            assertThat(SEATS.update(connection, 1L, 2L, Map.of("amount", 0L))).isEqualTo(3);
            assertThat(SEATS.update(connection, 1L, 3L, Map.of())).isEqualTo(4);
            assertThatThrownBy(() -> SEATS.update(connection, 1L, 2L, Map.of("amount", 0L)))
                    .isInstanceOf(StaleVersionException.class);
            assertThat(seat(open, 1)).isEqualTo("a 0 v4");
            VersionedUpdate pair = VersionedUpdate.of("seat", "version", "id", "row_name");
            assertThat(pair.update(connection, List.of(2L, "b"), 2L, Map.of("amount", 5L)))
                    .isEqualTo(3);
            assertThatThrownBy(() -> pair.update(connection, List.of(2L, "x"), 3L, Map.of("amount", 6L)))
                    .isInstanceOf(StaleVersionException.class);
            assertThat(seat(open, 2)).isEqualTo("b 5 v3");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"H2", "POSTGRESQL", "MARIADB"})
    @DisplayName("C54: without a version, a key, or with a negative version nothing is asked of the database")
    void aMissingVersionIsRefusedBeforeTheDatabaseIsTouched(TestSetup setup) throws Exception {
        try (TestSetup.Open open = withSeats(setup)) {
            CountingSource counting = new CountingSource(open.small);
            try (Connection connection = counting.source.getConnection()) {
                counting.drain();
                Map<String, Long> values = Map.of("amount", 9L);
                for (Long version : Arrays.asList(null, -1L, Long.MIN_VALUE, Long.MAX_VALUE)) {
                    assertThatIllegalArgumentException()
                            .isThrownBy(() -> SEATS.update(connection, 1L, version, values))
                            .withMessageContaining("version");
                }
                assertThatIllegalArgumentException().isThrownBy(() -> SEATS.update(connection, null, 2L, values));
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> SEATS.update(connection, Arrays.asList((Object) null), 2L, values));
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> SEATS.update(connection, List.of(1L, 2L), 2L, values));
                for (String name : List.of("VERSION", "id", "amount = 1, note", "a.b", "")) {
                    assertThatIllegalArgumentException()
                            .isThrownBy(() -> SEATS.update(connection, 1L, 2L, Map.of(name, 1L)));
                }
                connection.setAutoCommit(false);
                counting.drain();
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> SEATS.updateAll(
                                connection,
                                List.of(
                                        new VersionedUpdate.Row(1L, 2L, values),
                                        new VersionedUpdate.Row(2L, null, values))));
                assertThat(counting.drain()).isEmpty();
                connection.rollback();
            }
            assertThat(seat(open, 1)).isEqualTo("a 0 v2");
            assertThatIllegalArgumentException().isThrownBy(() -> VersionedUpdate.of("seat", "version"));
            open.execute("CREATE TABLE loose (id BIGINT, name VARCHAR(20), version BIGINT)");
            open.execute("INSERT INTO loose VALUES (1, 'a', NULL), (2, 'b', 0), (2, 'c', 0)");
            VersionedUpdate loose = VersionedUpdate.of("loose", "version", "id");
            try (Connection connection = open.pool(1, false).getConnection()) {
                assertThatThrownBy(() -> loose.update(connection, 1L, 0L, Map.of("name", "x")))
                        .isInstanceOf(SchemaException.class)
                        .hasMessageContaining("NOT NULL");
                assertThatThrownBy(() -> loose.update(connection, 2L, 0L, Map.of("name", "x")))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("roll back");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    @DisplayName("C56: two updates of a row in one transaction, and one after a rollback to a savepoint")
    void twoUpdatesInOneTransaction(TestSetup setup) throws Exception {
        try (TestSetup.Open open = withSeats(setup);
                Connection connection = open.pool(1, false).getConnection()) {
            long version = SEATS.update(connection, 1L, 2L, Map.of("amount", 1L));
            version = SEATS.update(connection, 1L, version, Map.of("row_name", "z"));
            Savepoint before = connection.setSavepoint();
            long undone = SEATS.update(connection, 1L, version, Map.of("amount", 100L));
            connection.rollback(before);
            assertThatThrownBy(() -> SEATS.update(connection, 1L, undone, Map.of("amount", 101L)))
                    .isInstanceOf(StaleVersionException.class)
                    .hasMessageContaining("is at version 4");
            assertThat(SEATS.update(connection, 1L, version, Map.of("amount", 7L)))
                    .isEqualTo(undone);
            connection.commit();
            assertThat(seat(open, 1)).isEqualTo("z 7 v5");
        }
    }

    /** Driver settings under which a batch's counts say nothing, beside the usual ones. */
    static Stream<Object[]> batches() {
        return Stream.of(
                new Object[] {TestSetup.H2, ""},
                new Object[] {TestSetup.POSTGRESQL, "?reWriteBatchedInserts=true"},
                new Object[] {TestSetup.MARIADB, "?useBulkStmts=true&useServerPrepStmts=true"},
                new Object[] {TestSetup.MARIADB, "?useAffectedRows=true"},
                new Object[] {TestSetup.MARIADB_BY_MYSQL_DRIVER, "?rewriteBatchedStatements=true"});
    }

    @ParameterizedTest
    @MethodSource("batches")
    void aBatchNamesTheRowsThatAreStale(TestSetup setup, String options) throws Exception {
        try (TestSetup.Open open = withSeats(setup)) {
            String many = IntStream.rangeClosed(10, 260)
                    .mapToObj(id -> "(" + id + ", 's', 0, 1)")
                    .reduce((a, b) -> a + ", " + b)
                    .orElseThrow();
            open.execute("INSERT INTO seat VALUES " + many);
            HikariDataSource pool = open.database.pool(open.database.url() + options, 1, false);
            for (int isolation : Orders.ISOLATIONS) {
                try (Connection connection = Orders.isolated(pool, isolation).getConnection()) {
                    List<VersionedUpdate.Row> rows = new ArrayList<>();
                    for (long id = 10; id <= 260; id++) {
                        rows.add(new VersionedUpdate.Row(id, 1L, Map.of("amount", id)));
                    }
                    assertThat(SEATS.updateAll(connection, rows)).hasSize(251).containsOnly(2L);
                    assertThat(seat(connection, 137)).isEqualTo("s 137 v2");
                    connection.rollback();

                    rows.set(5, new VersionedUpdate.Row(15L, 0L, Map.of("amount", 0L)));
                    rows.set(250, new VersionedUpdate.Row(999L, 1L, Map.of("amount", 0L)));
                    StaleVersionException stale =
                            catchThrowableOfType(StaleVersionException.class, () -> SEATS.updateAll(connection, rows));
                    assertThat(stale.rows())
                            .containsExactly(
                                    new StaleVersionException.Row(5, 0, 1L, false),
                                    new StaleVersionException.Row(250, 1, null, true));
                    connection.rollback();

                    List<VersionedUpdate.Row> twice = List.of(
                            new VersionedUpdate.Row(1L, 2L, Map.of("amount", 1L)),
                            new VersionedUpdate.Row(1L, 3L, Map.of("amount", 2L)));
                    assertThat(SEATS.updateAll(connection, twice)).containsExactly(3L, 4L);
                    assertThat(seat(connection, 1)).isEqualTo("a 2 v4");
                    connection.rollback();
                    assertThatThrownBy(() -> SEATS.updateAll(connection, List.of(twice.get(0), twice.get(0))))
                            .isInstanceOf(StaleVersionException.class)
                            .hasMessageContaining("row 1 of the batch");
                    connection.rollback();
                    assertThat(SEATS.updateAll(connection, List.of())).isEmpty();
                }
            }
            try (Connection connection = open.pool(1, true).getConnection()) {
                assertThatThrownBy(() -> SEATS.updateAll(
                                connection, List.of(new VersionedUpdate.Row(1L, 2L, Map.of("amount", 1L)))))
                        .isInstanceOf(IllegalStateException.class);
            }
        }
    }
}
