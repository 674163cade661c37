package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.error.StaleFenceException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The fence in a column of the business's row, on the databases and with the driver settings that change how they count. */
class FenceColumnIT {
    private static final String DDL = "CREATE TABLE seat (name VARCHAR(50) NOT NULL, label VARCHAR(50) NOT NULL,"
            + " amount BIGINT NOT NULL, note VARCHAR(50), guard BIGINT)";
    private static final FenceColumn GUARD = FenceColumn.of("seat", "name", "guard");

    static Stream<Arguments> meetings() {
        return FenceTableIT.meetings();
    }

    private static TestSetup.Open withSeats(TestSetup setup) {
        TestSetup.Open open = setup.open();
        open.execute(DDL);
        for (String name : new String[] {"a", "b"}) {
            open.execute("INSERT INTO seat (name, label, amount) VALUES ('" + name + "', 'same', 0)");
        }
        return open;
    }

    private static long amount(TestSetup.Open open) {
        return open.number("SELECT amount FROM seat WHERE name = 'a'");
    }

    @ParameterizedTest
    @EnumSource
    void oneStatementWritesTheRowAndTheFenceOrIsRefused(TestSetup setup) throws Exception {
        try (TestSetup.Open open = withSeats(setup);
                Connection connection = open.pool(1).getConnection()) {
            LockScene scene = new LockScene(open);
            connection.setAutoCommit(false);
            Map<String, Object> sold = new HashMap<>();
            sold.put("amount", 10L);
            sold.put("note", null);
            assertThat(GUARD.update(connection, scene.key, 10, "a", sold))
                    .as("over NULL")
                    .isTrue();
            assertThat(GUARD.update(connection, scene.key, 10, "a", sold))
                    .as("the same again")
                    .isTrue();
            connection.commit();
            assertThat(GUARD.update(connection, scene.key, 10, "nobody", sold))
                    .as("no such row")
                    .isFalse();

            TestSetup.insertBusiness(connection, "late");
            assertThatThrownBy(() -> GUARD.update(connection, scene.key, 9, "a", Map.of("amount", 9L)))
                    .isInstanceOfSatisfying(
                            StaleFenceException.class,
                            refused -> assertThat(refused.newestFence()).isEqualTo(10))
                    .hasMessageNotContaining(scene.key.value());
            assertThat(TestSetup.countBusiness(connection, "late")).isEqualTo(1);
            connection.rollback();
            assertThat(open.businessRows("late")).isZero();
            assertThat(amount(open)).isEqualTo(10);

            connection.setAutoCommit(true);
            assertThat(GUARD.raise(connection, scene.key, 11, "a")).isTrue();
            assertThat(GUARD.raise(connection, scene.key, 11, "a")).isTrue();
            assertThatThrownBy(() -> GUARD.update(connection, scene.key, 10, "a", Map.of("amount", 1L)))
                    .isInstanceOf(StaleFenceException.class);
            assertThat(GUARD.update(connection, scene.key, 12, "a", Map.of("amount", 12L)))
                    .isTrue();
            assertThat(amount(open)).isEqualTo(12);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    void onlyPlainNamesAndUniqueRowsAreTaken(TestSetup setup) throws Exception {
        try (TestSetup.Open open = withSeats(setup);
                Connection connection = open.pool(1).getConnection()) {
            LockScene scene = new LockScene(open);
            connection.setAutoCommit(false);
            for (String name : new String[] {"amount = 1, note", "", "a.b", "1a", "amount--", "guard", "NAME"}) {
                assertThatIllegalArgumentException()
                        .as(name)
                        .isThrownBy(() -> GUARD.update(connection, scene.key, 1, "a", Map.of(name, 1L)));
            }
            assertThatIllegalArgumentException().isThrownBy(() -> FenceColumn.of("seat s", "name", "guard"));
            assertThatIllegalArgumentException().isThrownBy(() -> FenceColumn.of("seat", "name", "guard = 1 OR 1"));
            assertThatIllegalArgumentException().isThrownBy(() -> GUARD.raise(connection, scene.key, -1, "a"));
            assertThatThrownBy(() -> FenceColumn.of("seat", "label", "guard")
                            .update(connection, scene.key, 1, "same", Map.of("amount", 5L)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("roll back");
            connection.rollback();
            assertThat(GUARD.update(connection, scene.key, 1, "a' OR '1'='1", Map.of("amount", 5L)))
                    .isFalse();
            connection.rollback();
            assertThat(amount(open)).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("meetings")
    void anOlderHolderWritesNothingWhateverSnapshotItHas(TestSetup setup, int isolation) throws Exception {
        try (TestSetup.Open open = withSeats(setup)) {
            LockScene scene = new LockScene(open);
            HikariDataSource pool = open.pool(2);
            try (Connection older = pool.getConnection();
                    Connection newer = pool.getConnection()) {
                for (Connection connection : new Connection[] {older, newer}) {
                    connection.setAutoCommit(false);
                    connection.setTransactionIsolation(isolation);
                }
                assertThat(TestSetup.number(older, "SELECT COUNT(*) FROM seat WHERE guard = 7"))
                        .isZero();
                TestSetup.insertBusiness(older, "older");
                assertThat(GUARD.update(newer, scene.key, 7, "a", Map.of("amount", 7L)))
                        .isTrue();
                newer.commit();
                assertThat(isRefused(older, scene, 5)).isTrue();
                older.rollback();
                assertThat(isRefused(older, scene, 5)).isTrue();
                older.rollback();
            }
            assertThat(amount(open)).isEqualTo(7);
            assertThat(open.businessRows("older")).isZero();
        }
    }

    private static boolean isRefused(Connection connection, LockScene scene, long fence) {
        try {
            GUARD.update(connection, scene.key, fence, "a", Map.of("amount", fence));
            return false;
        } catch (StaleFenceException e) {
            return true;
        } catch (SQLException e) {
            assertThat(SqlTrouble.of(e)).isEqualTo(SqlTrouble.DEAD);
            return true;
        }
    }
}
