package io.oncegate.benchmarks;

import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.Locks;
import io.oncegate.jdbc.JdbcLockStore;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.Lock;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Locks in a database: two bare UPDATEs of one row each, ours, and those of others. In auto-commit. Thread-safe. */
final class JdbcLockPaths implements AutoCloseable {
    private static final LockOptions OPTIONS = LockOptions.untilDone();
    private static final int ROWS = 256 * 8;

    private final DataSource source;
    private final Locks locks;
    private final JdbcTemplateLockProvider shedLock;
    private final DefaultLockRepository repository;
    private final JdbcLockRegistry registry;

    JdbcLockPaths(DataSource source) {
        this.source = source;
        this.locks = LeasedLocks.of(JdbcLockStore.of(source));
        this.shedLock = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(source))
                .usingDbTime()
                .build());
        this.repository = new DefaultLockRepository(source);
        repository.setTransactionManager(new JdbcTransactionManager(source));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        this.registry = new JdbcLockRegistry(repository);
    }

    /** Makes the tables that are not ours. */
    static void create(TestDatabase database, Databases kind) throws SQLException {
        boolean postgres = kind == Databases.POSTGRESQL;
        String time = postgres ? "TIMESTAMP" : "TIMESTAMP(3)";
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE bare_lock (id INT NOT NULL PRIMARY KEY, owner VARCHAR(64),"
                    + " fence BIGINT NOT NULL)");
            statement.execute("CREATE TABLE shedlock (name VARCHAR(64) NOT NULL PRIMARY KEY, lock_until " + time
                    + " NOT NULL, locked_at " + time + " NOT NULL, locked_by VARCHAR(255) NOT NULL)");
            statement.execute("CREATE TABLE INT_LOCK (LOCK_KEY CHAR(36) NOT NULL, REGION VARCHAR(100) NOT NULL,"
                    + " CLIENT_ID CHAR(36), CREATED_DATE TIMESTAMP NOT NULL, EXPIRED_AFTER TIMESTAMP NOT NULL,"
                    + " PRIMARY KEY (LOCK_KEY, REGION))");
            StringBuilder rows = new StringBuilder("INSERT INTO bare_lock (id, owner, fence) VALUES (0, NULL, 0)");
            for (int i = 1; i < ROWS; i++) {
                rows.append(", (").append(i).append(", NULL, 0)");
            }
            statement.execute(rows.toString());
        }
    }

    List<Row> rows(String prefix, int threads) {
        Side bare = this::twoUpdates;
        return List.of(
                Row.of(prefix + "locks, noise: two UPDATEs to themselves", threads, bare, bare),
                Row.of(prefix + "locks, engine: acquire + release to two UPDATEs", threads, bare, this::engine),
                Row.of(prefix + "locks, ShedLock: the same", threads, bare, this::shedLock)
                        .known("owner is the host; no fence"),
                Row.of(prefix + "locks, Spring Integration: the same", threads, bare, this::springIntegration)
                        .known("owner is the process and thread; no fence"));
    }

    private Body twoUpdates(int thread) {
        int[] next = new int[1];
        return () -> {
            int row = thread * 256 + next[0]++ % 256;
            update("UPDATE bare_lock SET owner = 'somebody', fence = fence + 1 WHERE id = ? AND owner IS NULL", row);
            update("UPDATE bare_lock SET owner = NULL WHERE id = ? AND owner = 'somebody'", row);
        };
    }

    private void update(String sql, int row) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, row);
            if (statement.executeUpdate() != 1) {
                throw new IllegalStateException("the bare lock was not free");
            }
        }
    }

    private Body engine(int thread) {
        Cycle cycle = new Cycle(thread);
        return () -> {
            HeldLock lock = locks.tryAcquire(cycle.key(), OPTIONS).orElseThrow();
            if (lock.complete(null) != LockRelease.DONE) {
                throw new IllegalStateException("the lock was lost");
            }
        };
    }

    private Body shedLock(int thread) {
        Cycle cycle = new Cycle(thread);
        return () -> shedLock.lock(new LockConfiguration(
                        Instant.now(), cycle.key().id().toString().substring(0, 60), OPTIONS.lease(), Duration.ZERO))
                .orElseThrow()
                .unlock();
    }

    private Body springIntegration(int thread) {
        Cycle cycle = new Cycle(thread);
        return () -> {
            Lock lock = registry.obtain(cycle.name());
            if (!lock.tryLock()) {
                throw new IllegalStateException("a peer did not get its lock");
            }
            lock.unlock();
        };
    }

    @Override
    public void close() {
        locks.close();
        repository.stop();
    }
}
