package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.error.StaleFenceException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The fence in a table of its own, on the databases and with the driver settings that change how they count. */
class FenceTableIT {
    /** Databases and isolation levels in which holders meet. */
    static Stream<Arguments> meetings() {
        return Stream.of(TestSetup.H2, TestSetup.POSTGRESQL, TestSetup.MARIADB, TestSetup.MYSQL_DIALECT)
                .flatMap(setup -> Stream.of(
                        Arguments.of(setup, Connection.TRANSACTION_READ_COMMITTED),
                        Arguments.of(setup, Connection.TRANSACTION_REPEATABLE_READ)));
    }

    private static Connection transaction(HikariDataSource pool, int isolation) throws SQLException {
        Connection connection = pool.getConnection();
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(isolation);
        return connection;
    }

    @ParameterizedTest
    @EnumSource
    void anOlderFenceIsRefusedInTheBusinesssTransactionWhichRollsBackAndCanBeUsed(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.fences(open.small).create();
            FenceTable fences = open.fences();
            LockScene scene = new LockScene(open);
            fences.raise(open.small, scene.key, 10);
            try (Connection connection = open.pool(1).getConnection()) {
                connection.setAutoCommit(false);
                TestSetup.insertBusiness(connection, "late");
                assertThatThrownBy(() -> fences.raise(connection, scene.key, 9))
                        .isInstanceOfSatisfying(StaleFenceException.class, refused -> {
                            assertThat(refused.fence()).isEqualTo(9);
                            assertThat(refused.newestFence()).isEqualTo(10);
                            assertThat(refused.keyDigest()).isEqualTo(scene.key.digest());
                        })
                        .hasMessageNotContaining(scene.key.value())
                        .hasMessageContaining("roll back");
                assertThat(TestSetup.countBusiness(connection, "late")).isEqualTo(1);
                connection.rollback();
                assertThat(TestSetup.countBusiness(connection, "late")).isZero();
                connection.rollback();

                fences.raise(connection, scene.key, 10);
                fences.raise(connection, scene.key, 11);
                TestSetup.insertBusiness(connection, "in time");
                connection.commit();
                fences.raise(connection, new LockScene(open).key, 1);
                connection.commit();
                connection.setAutoCommit(true);
                assertThatThrownBy(() -> fences.raise(connection, scene.key, 12))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("FenceColumn");
                assertThatThrownBy(() -> fences.raise(connection, scene.key, 0))
                        .isInstanceOf(IllegalArgumentException.class);
            }
            assertThat(open.businessRows("in time")).isEqualTo(1);
            assertThatThrownBy(() -> fences.raise(open.small, scene.key, 10)).isInstanceOf(StaleFenceException.class);
            fences.raise(open.small, scene.key, 11);
        }
    }

    @ParameterizedTest
    @MethodSource("meetings")
    void theRowStaysLockedFromTheCheckToTheCommit(TestSetup setup, int isolation) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.fences(open.small).create();
            FenceTable fences = open.fences();
            LockScene scene = new LockScene(open);
            HikariDataSource pool = open.pool(3);
            fences.raise(open.small, scene.key, 5);
            try (Connection holder = transaction(pool, isolation);
                    Connection observer = transaction(pool, Connection.TRANSACTION_READ_COMMITTED)) {
                fences.raise(holder, scene.key, 5);
                assertThat(isFree(observer, scene)).isFalse();
                holder.commit();
                assertThat(isFree(observer, scene)).isTrue();
                observer.rollback();
            }
        }
    }

    private static boolean isFree(Connection connection, LockScene scene) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT fence FROM oncegate_fence WHERE id = ? FOR UPDATE SKIP LOCKED")) {
            statement.setBytes(1, scene.id.toBytes());
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("meetings")
    @DisplayName("an older holder that meets a newer one's open transaction writes nothing, whatever snapshot it has")
    void anOlderHolderMeetsANewerOnesOpenTransaction(TestSetup setup, int isolation) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.fences(open.small).create();
            FenceTable fences = open.fences();
            LockScene scene = new LockScene(open);
            HikariDataSource pool = open.pool(3);
            fences.raise(open.small, scene.key, 5);
            ExecutorService thread = Executors.newSingleThreadExecutor();
            try (Connection newer = transaction(pool, isolation);
                    Connection older = transaction(pool, isolation)) {
                fences.raise(newer, scene.key, 7);
                TestSetup.insertBusiness(newer, "newer");
                assertThat(TestSetup.countBusiness(older, "newer")).isZero(); // its snapshot, where it keeps one
                TestSetup.insertBusiness(older, "older");
                CountDownLatch begun = new CountDownLatch(1);
                Future<Boolean> refused = thread.submit(() -> {
                    begun.countDown();
                    return isRefused(fences, older, scene, 5);
                });
                assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
                newer.commit();
                assertThat(refused.get(60, TimeUnit.SECONDS)).isTrue();
                older.rollback();
            } finally {
                thread.shutdownNow();
            }
            assertThat(open.businessRows("older")).isZero();
            assertThat(open.businessRows("newer")).isEqualTo(1);
        }
    }

    /** A database may end the older transaction itself where its snapshot is too old: that is a refusal as well. */
    private static boolean isRefused(FenceTable fences, Connection connection, LockScene scene, long fence) {
        try {
            fences.raise(connection, scene.key, fence);
            return false;
        } catch (StaleFenceException e) {
            return true;
        } catch (SQLException e) {
            assertThat(SqlTrouble.of(e)).isEqualTo(SqlTrouble.DEAD);
            return true;
        }
    }

    @ParameterizedTest
    @MethodSource("meetings")
    void aNewerHolderPassesAlthoughItsSnapshotIsOlderThanTheLastRaise(TestSetup setup, int isolation) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.fences(open.small).create();
            FenceTable fences = open.fences();
            LockScene scene = new LockScene(open);
            fences.raise(open.small, scene.key, 5);
            try (Connection newer = transaction(open.pool(1), isolation)) {
                TestSetup.countBusiness(newer, "nobody");
                fences.raise(open.small, scene.key, 6);
                if (isRefused(fences, newer, scene, 7)) {
                    // as PostgreSQL does with every row under REPEATABLE READ: the transaction is to be repeated
                    newer.rollback();
                    assertThat(isolation).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
                    assertThat(setup.mysqlFamily()).isFalse();
                    fences.raise(newer, scene.key, 7);
                }
                newer.commit();
            }
            assertThatThrownBy(() -> fences.raise(open.small, scene.key, 6)).isInstanceOf(StaleFenceException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "POSTGRESQL_REPEATABLE_READ", "MARIADB", "MYSQL_DIALECT"})
    void ofManyThatRaiseANewKeyAtOnceTheHighestStays(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.fences(open.small).create();
            FenceTable fences = open.fences();
            HikariDataSource pool = open.pool(8);
            for (int round = 0; round < 5; round++) {
                LockScene scene = new LockScene(open);
                List<Long> passed = new ArrayList<>(Threads.together(8, number -> {
                    try {
                        fences.raise(pool, scene.key, number + 1);
                        return number + 1L;
                    } catch (StaleFenceException e) {
                        return 0L;
                    }
                }));
                assertThat(passed).contains(8L);
                assertThatThrownBy(() -> fences.raise(pool, scene.key, 7)).isInstanceOf(StaleFenceException.class);
                LongStream.of(8, 9).forEach(fence -> fences.raise(pool, scene.key, fence));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    void aPurgeTakesWhatNobodyHasRaisedForLong(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.fences(open.small).create();
            FenceTable fences = open.fences();
            LockScene old = new LockScene(open);
            LockScene fresh = new LockScene(open);
            fences.raise(open.small, old.key, 1);
            fences.raise(open.small, fresh.key, 1);
            open.execute("UPDATE oncegate_fence SET raised_at = raised_at - " + TimeUnit.DAYS.toMicros(3));
            fences.raise(open.small, fresh.key, 2);
            assertThat(fences.purge(open.small, Duration.ofDays(4), 10)).isZero();
            assertThat(fences.purge(open.small, Duration.ofDays(2), 10)).isEqualTo(1);
            assertThatThrownBy(() -> fences.raise(open.small, fresh.key, 1)).isInstanceOf(StaleFenceException.class);
            Assertions.assertThatIllegalArgumentException()
                    .isThrownBy(() -> fences.purge(open.small, Duration.ofHours(1), 10));
        }
    }
}
