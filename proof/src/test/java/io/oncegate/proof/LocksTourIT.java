package io.oncegate.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.oncegate.core.error.StaleFenceException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.Acquisition.Acquired;
import io.oncegate.core.lock.Acquisition.Refused;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.Locks;
import io.oncegate.jdbc.FenceColumn;
import io.oncegate.jdbc.FenceTable;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisLockStore;
import io.oncegate.redis.RedisOptions;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What docs/locks.md shows. */
class LocksTourIT {
    private final RedisServer server = RedisServers.own();
    private final RedisClient client = RedisClient.create();
    private final RedisBackend backend = RedisBackend.connecting(
            client, server.uri(), RedisOptions.defaults().withTimeout(Duration.ofSeconds(20)));
    private final AtomicInteger settled = new AtomicInteger();
    private Locks locks;

    @BeforeEach
    void open() {
        // snippet: locks
        Locks locks = LeasedLocks.of(new RedisLockStore(backend));
        // end snippet
        this.locks = locks;
    }

    @AfterEach
    void close() {
        locks.close();
        backend.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        server.close();
    }

    private void settle(String account, HeldLock lock) {
        assertThat(lock.isHeld()).as(account).isTrue();
        settled.incrementAndGet();
    }

    @Test
    void untilDone() throws InterruptedException {
        // snippet: until-done
        OperationKey key = OperationKey.of("account.settle", Scope.of("tenant-7"), "account-42");

        Acquisition<HeldLock> asked = locks.acquire(key, LockOptions.untilDone(), Duration.ofSeconds(5));
        if (asked instanceof Acquired<HeldLock> acquired) {
            try (HeldLock lock = acquired.lock()) {
                lock.onLost(() -> settled.decrementAndGet()); // its lease ran out: others may be in
                settle("account-42", lock);
            }
        } else if (asked instanceof Refused<HeldLock> refused) {
            refused.retryAfter(); // in progress for this long at most
        }
        // end snippet
        assertThat(settled).hasValue(1);
        assertThat(locks.tryAcquire(key, LockOptions.untilDone())).isInstanceOf(Acquired.class);
    }

    @Test
    void forAWindow() {
        OperationKey key = OperationKey.of("order.flash", Scope.of("alice"), "session-1");
        // snippet: window
        LockOptions fiveSeconds = LockOptions.forWindow(Duration.ofSeconds(5));

        try (HeldLock lock = locks.tryAcquire(key, fiveSeconds).orElseThrow()) {
            settle("the order", lock);
        }
        Acquisition<HeldLock> again =
                locks.tryAcquire(key, fiveSeconds); // Refused: within five seconds it is a duplicate
        // end snippet
        assertThat(again)
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(refused.retryAfter()).isPositive());
    }

    @Test
    void theFenceReachesTheDatabase() throws SQLException {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:locks-tour;DB_CLOSE_DELAY=-1");
        DataSource dataSource = source;
        JdbcSchema.fences(dataSource).create();
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE account (id VARCHAR(20) PRIMARY KEY, state VARCHAR(20), fence BIGINT)");
            statement.execute("INSERT INTO account VALUES ('account-42', 'open', 0)");
        }
        OperationKey key = OperationKey.of("account.settle", Scope.of("tenant-7"), "account-42");
        HeldLock lock = locks.tryAcquire(key, LockOptions.untilDone()).orElseThrow();

        // snippet: fence-table
        FenceTable fences = FenceTable.of();
        fences.raise(
                dataSource, key, lock.fence()); // before the business begins: older holders are refused from now on

        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            fences.raise(connection, key, lock.fence()); // StaleFenceException if a newer holder has been there
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("UPDATE account SET state = 'settled' WHERE id = 'account-42'");
            }
            connection.commit();
        }
        // end snippet

        // snippet: fence-column
        FenceColumn accounts = FenceColumn.of("account", "id", "fence");
        try (Connection connection = dataSource.getConnection()) {
            accounts.update(connection, key, lock.fence(), "account-42", Map.of("state", "settled")); // one statement
        }
        // end snippet

        try (Connection connection = dataSource.getConnection()) {
            long older = lock.fence() - 1;
            assertThatThrownBy(() -> accounts.update(connection, key, older, "account-42", Map.of("state", "open")))
                    .isInstanceOf(StaleFenceException.class);
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> fences.raise(connection, key, older)).isInstanceOf(StaleFenceException.class);
        }
    }
}
