package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which constraint has refused a row, as each driver tells it. */
class UniqueConstraintIT {
    private static final UniqueConstraint GUARD = UniqueConstraint.named("uk_request");
    private static final UniqueConstraint OTHER = UniqueConstraint.named("UK_OTHER");
    private static final UniqueConstraint PRIMARY = UniqueConstraint.primaryKey("refusing");

    static Stream<TestSetup> drivers() {
        return Stream.of(TestSetup.H2, TestSetup.POSTGRESQL, TestSetup.MARIADB, TestSetup.MARIADB_BY_MYSQL_DRIVER);
    }

    private static TestSetup.Open withTable(TestSetup setup) {
        TestSetup.Open open = setup.open();
        open.execute("CREATE TABLE refusing (id BIGINT NOT NULL PRIMARY KEY, request VARCHAR(150) NOT NULL,"
                + " other VARCHAR(150), CONSTRAINT uk_request UNIQUE (request), CHECK (id <> 99))");
        open.execute("CREATE UNIQUE INDEX uk_other ON refusing (other)");
        return open;
    }

    private static SQLException refusal(TestSetup.Open open, long id, String request, String other) throws Exception {
        try (Connection connection = open.small.getConnection()) {
            connection.setAutoCommit(true);
            insert(connection, id, request, other);
            return null;
        } catch (SQLException e) {
            return e;
        }
    }

    private static void insert(Connection connection, long id, String request, String other) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO refusing VALUES (?, ?, ?)")) {
            statement.setLong(1, id);
            statement.setString(2, request);
            statement.setString(3, other);
            statement.executeUpdate();
        }
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void theConstraintIsToldByItsName(TestSetup setup) throws Exception {
        try (TestSetup.Open open = withTable(setup)) {
            assertThat((Object) refusal(open, 1, "r", "o")).isNull();
            SQLException byGuard = refusal(open, 2, "r", "o2");
            SQLException byOther = refusal(open, 3, "r3", "o");
            SQLException byPrimary = refusal(open, 1, "r4", "o4");
            assertThat(List.of(GUARD.refused(byGuard), OTHER.refused(byGuard), PRIMARY.refused(byGuard)))
                    .containsExactly(true, false, false);
            assertThat(List.of(GUARD.refused(byOther), OTHER.refused(byOther), PRIMARY.refused(byOther)))
                    .containsExactly(false, true, false);
            assertThat(List.of(GUARD.refused(byPrimary), OTHER.refused(byPrimary), PRIMARY.refused(byPrimary)))
                    .containsExactly(false, false, true);
            assertThat(UniqueConstraint.named("UK_REQUEST").refused(byGuard)).isTrue();
            assertThat(UniqueConstraint.named("uk_reques").refused(byGuard)).isFalse();
            assertThat(GUARD.refused(new IllegalStateException(new RuntimeException(byGuard))))
                    .isTrue();

            assertThat(GUARD.refused(refusal(open, 99, "r9", "o9")))
                    .as("a check")
                    .isFalse();
            assertThat(GUARD.refused(new SQLException("uk_request", "23000"))).isFalse();
            assertThat(GUARD.refused(new RuntimeException("Duplicate entry 'a' for key 'uk_request'")))
                    .isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void valuesDoNotLookLikeNames(TestSetup setup) throws Exception {
        try (TestSetup.Open open = withTable(setup)) {
            long id = 10;
            for (String hostile : List.of(
                    "x' for key 'uk_request",
                    "x' for key 'uk_request'",
                    "x' for key 'uk_request'\nQuery is: y",
                    "\"PUBLIC.UK_REQUEST INDEX PUBLIC.UK_REQUEST_INDEX_1 ON PUBLIC.REFUSING(",
                    "x\" violates unique constraint \"uk_request\"",
                    "' for key 'uk_request' " + "a".repeat(120))) {
                assertThat((Object) refusal(open, id++, "free " + id, hostile)).isNull();
                SQLException byOther = refusal(open, id++, "free " + id, hostile);
                assertThat(GUARD.refused(byOther)).as(hostile).isFalse();
                assertThat(OTHER.refused(byOther)).as(hostile).isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void aBatchIsLookedThrough(TestSetup setup) throws Exception {
        try (TestSetup.Open open = withTable(setup);
                Connection connection = open.pool(1, false).getConnection()) {
            insert(connection, 1, "r", "o");
            connection.commit();
            assertThat(GUARD.refused(batch(connection, "r"))).isTrue();
            assertThat(OTHER.refused(batch(connection, "r"))).isFalse();
            assertThat(GUARD.refused(batch(connection, "free"))).isFalse();
        }
    }

    /** A batch of two rows, of which the second is refused: by the guard, or by the other one. */
    private static BatchUpdateException batch(Connection connection, String request) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO refusing VALUES (?, ?, ?)")) {
            for (int i = 2; i < 4; i++) {
                statement.setLong(1, i);
                statement.setString(2, i == 2 ? "x' for key 'uk_request" : request);
                statement.setString(
                        3, i == 2 ? "violates unique constraint \"uk_request\"" : request.equals("r") ? "p" : "o");
                statement.addBatch();
            }
            return (BatchUpdateException) catchThrowable(statement::executeBatch);
        } finally {
            connection.rollback();
        }
    }

    @Test
    void onlyTheGuardMayHaveRefused() {
        SQLException guard = new SQLException("Duplicate entry 'a' for key 'orders.uk_request'", "23000", 1062);
        assertThat(GUARD.refused(guard)).isTrue();
        assertThat(UniqueConstraint.primaryKey("app.orders")
                        .refused(new SQLException("Duplicate entry '1' for key 'orders.PRIMARY'", "23000", 1062)))
                .isTrue();
        assertThat(UniqueConstraint.primaryKey("invoices")
                        .refused(new SQLException("Duplicate entry '1' for key 'orders.PRIMARY'", "23000", 1062)))
                .isFalse();
        guard.setNextException(new SQLException("Duplicate entry 'a' for key 'orders.uk_other'", "23000", 1062));
        assertThat(GUARD.refused(guard)).as("another one beside it").isFalse();
        SQLException german = new SQLException(
                "Doppelter Eintrag 'a' for key 'uk_request' f\u00fcr Schl\u00fcssel 'uk_other'", "23000", 1062);
        assertThat(GUARD.refused(german)).isFalse();
        assertThat(OTHER.refused(german)).isTrue();
        SQLException other = new SQLException(
                "FEHLER: doppelter Schl\u00fcsselwert verletzt Unique-Constraint \u00bbuk_request\u00ab\n Detail: \u00bbuk_other\u00ab",
                "23505");
        assertThat(GUARD.refused(other)).as("another driver for PostgreSQL").isTrue();
        // A batch's message repeats the statement with its values.
        BatchUpdateException batch = new BatchUpdateException(
                "Batch entry 0 INSERT INTO t VALUES ('violates unique constraint \"uk_request\"\n') was aborted",
                "23505",
                new int[0]);
        batch.setNextException(
                new SQLException("ERROR: duplicate key value violates unique constraint \"uk_other\"", "23505"));
        assertThat(OTHER.refused(batch)).isTrue();
        SQLException loop = new SQLException("a");
        loop.initCause(new RuntimeException(loop));
        assertThat(GUARD.refused(loop)).isFalse();
        assertThat(assertTimeoutPreemptively(Duration.ofMinutes(1), () -> RetryPolicy.mayRepeat(loop)))
                .isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> UniqueConstraint.named("uk request"));
        assertThatIllegalArgumentException().isThrownBy(() -> UniqueConstraint.primaryKey("orders; --"));
    }
}
