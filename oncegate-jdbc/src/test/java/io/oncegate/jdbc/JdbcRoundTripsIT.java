package io.oncegate.jdbc;

import static io.oncegate.jdbc.Requests.FIRST;
import static io.oncegate.jdbc.Requests.granted;
import static io.oncegate.jdbc.Requests.request;
import static io.oncegate.jdbc.Requests.succeeded;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.TransactionalRecordStore;
import io.oncegate.testkit.Untimed;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** How often each path speaks with the server. */
class JdbcRoundTripsIT {

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "MARIADB_BY_MYSQL_DRIVER"})
    void claimedModeTakesOneRoundTripWhateverTheAnswer(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            CountingSource counting = new CountingSource(open.pool(1));
            RecordStore store = open.store(counting.source).build();
            granted(store, request("warm"));
            counting.drain();

            ClaimRef claim = granted(store, request("k"));
            assertThat(counting.drain()).as("fresh claim").hasSize(1);
            assertThat(store.claim(request("k"))).isInstanceOf(ClaimAnswer.Held.class);
            assertThat(counting.drain()).as("held").hasSize(1);
            assertThat(store.claim(request("k", "99"))).isEqualTo(new ClaimAnswer.Mismatch(Fingerprint.of("10")));
            assertThat(counting.drain()).as("mismatch").hasSize(1);
            assertThat(store.renew(claim, Requests.LEASE)).isEqualTo(HolderAnswer.DONE);
            assertThat(counting.drain()).as("renew").hasSize(1);
            assertThat(store.settle(claim, succeeded("r"))).isEqualTo(HolderAnswer.DONE);
            assertThat(counting.drain()).as("settle").hasSize(1);
            assertThat(Untimed.of(store.claim(request("k")))).isEqualTo(Requests.replay("r"));
            assertThat(counting.drain()).as("replay").hasSize(1);
            assertThat(store.settle(claim, succeeded("r"))).isEqualTo(HolderAnswer.DONE);
            assertThat(counting.drain()).as("the same settle again").hasSize(2);

            ClaimRef released = granted(store, request("free"));
            counting.drain();
            assertThat(store.release(released)).isEqualTo(HolderAnswer.DONE);
            assertThat(counting.drain()).as("release").hasSize(1);
            granted(store, request("free"));
            assertThat(counting.drain()).as("claim of a free key").hasSize(2);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MYSQL_DIALECT", "MYSQL_DIALECT_BY_MARIADB_DRIVER"})
    void mySqlTakesOneRoundTripForAFreshClaimAndTwoForADuplicate(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            CountingSource counting = new CountingSource(open.pool(1));
            RecordStore store = open.store(counting.source).build();
            granted(store, request("k"));
            assertThat(counting.drain()).as("fresh claim").hasSize(1);
            assertThat(store.claim(request("k"))).isInstanceOf(ClaimAnswer.Held.class);
            assertThat(counting.drain()).as("held").hasSize(2);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "MARIADB_BY_MYSQL_DRIVER"})
    void aPoolWithoutAutoCommitCostsOneCommitForEachCall(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            CountingSource counting = new CountingSource(open.pool(1, false));
            RecordStore store = open.store(counting.source).build();
            granted(store, request("k"));
            List<String> calls = counting.drain();
            assertThat(calls).hasSize(2);
            assertThat(calls.get(1)).isEqualTo("commit");
            assertThat(store.claim(request("k"))).isInstanceOf(ClaimAnswer.Held.class);
            assertThat(counting.drain()).hasSize(2);
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"H2", "POSTGRESQL_REPEATABLE_READ"})
    void anOwnTransactionCostsOneRoundTripMoreAndWithAResultTwo(TestSetup setup) throws SQLException {
        try (TestSetup.Open open = setup.open()) {
            CountingSource counting = new CountingSource(open.pool(1, false));
            TransactionalRecordStore store =
                    open.transactional(TransactionSource.of(counting.source)).build();
            bare(counting);
            counting.drain();
            bare(counting);
            int bare = counting.drain().size();

            RecordTransaction without = store.begin();
            without.recordFirst(request("a"), FIRST, Duration.ZERO);
            business(without.unwrap(Connection.class));
            without.commit();
            assertThat(counting.drain()).as("without a result").hasSize(bare + 1);

            RecordTransaction with = store.begin();
            with.recordFirst(request("b"), FIRST, Duration.ZERO);
            business(with.unwrap(Connection.class));
            with.complete(succeeded("r"));
            with.commit();
            assertThat(counting.drain()).as("with a result").hasSize(bare + 2);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void aJoinedTransactionCostsItsSavepointToo(TestSetup setup) throws SQLException {
        try (TestSetup.Open open = setup.open();
                HikariDataSource pool = open.pool(1, false)) {
            CountingSource counting = new CountingSource(pool);
            try (Connection callers = counting.source.getConnection()) {
                TransactionalRecordStore store = open.transactional(
                                TransactionSource.joining(() -> callers, counting.source))
                        .build();
                RecordTransaction joined = store.begin();
                joined.recordFirst(request("a"), FIRST, Duration.ZERO);
                joined.commit();
                List<String> calls = counting.drain();
                assertThat(calls).hasSize(3);
                assertThat(calls.get(0)).isEqualTo("setSavepoint");
                assertThat(calls.get(2)).isEqualTo("releaseSavepoint");
                callers.rollback();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MARIADB_BY_MYSQL_DRIVER", "MYSQL_DIALECT"})
    void theServerItselfCountsTheSame(TestSetup setup) {
        try (TestSetup.Open open = setup.open();
                HikariDataSource pool = open.pool(1)) {
            RecordStore store = open.store(pool).build();
            TransactionalRecordStore transactional =
                    open.transactional(TransactionSource.of(pool)).build();
            granted(store, request("warm"));
            long reading = questions(pool);
            reading = questions(pool) - reading;
            long before = questions(pool);
            ClaimRef claim = granted(store, request("k"));
            long afterClaim = questions(pool);
            store.settle(claim, succeeded("r"));
            long afterSettle = questions(pool);
            assertThat(afterClaim - before - reading).as("claim").isEqualTo(1);
            assertThat(afterSettle - afterClaim - reading).as("settle").isEqualTo(1);

            RecordTransaction transaction = transactional.begin();
            transaction.recordFirst(request("t"), FIRST, Duration.ZERO);
            transaction.commit();
            long afterTransaction = questions(pool);
            assertThat(afterTransaction - afterSettle - reading)
                    .as("auto-commit off, insert, commit, auto-commit on")
                    .isEqualTo(4);
        }
    }

    private static long questions(HikariDataSource pool) {
        try (Connection connection = pool.getConnection()) {
            return TestSetup.number(
                    connection,
                    "SELECT VARIABLE_VALUE FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'QUESTIONS'");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void bare(CountingSource counting) throws SQLException {
        try (Connection connection = counting.source.getConnection()) {
            business(connection);
            connection.commit();
        }
    }

    private static void business(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO business_row (name, amount) VALUES ('a', 1)");
            statement.executeUpdate("UPDATE business_row SET amount = 2 WHERE name = 'nobody'");
        }
    }
}
