package io.oncegate.proof;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.oncegate.core.error.StaleFenceException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.Locks;
import io.oncegate.jdbc.FenceTable;
import io.oncegate.jdbc.JdbcLockStore;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisLockStore;
import io.oncegate.redis.RedisOptions;
import io.oncegate.zookeeper.ZooKeeperLocks;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

/**
 * One process's way to a {@link LockPlace}: its own locks and connections. The data is one row for each name, written with
 * the fence guard or without it. Thread-safe.
 */
public final class LockSide implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final DriverSource source;
    private final FenceTable fences = FenceTable.of();
    private final Deque<Runnable> closing = new ArrayDeque<>();
    private final Locks locks;

    /**
     * Goes to the place.
     *
     * @param session the session's time-out, where a session stands for the lease
     */
    public LockSide(LockPlace place, Duration session) {
        this.source = new DriverSource(place.url(), place.user(), place.password());
        this.locks = switch (place.kept()) {
            case REDIS -> redis(place.address());
            case JDBC ->
                LeasedLocks.of(JdbcLockStore.builder(source).timeout(TIMEOUT).build());
            case ZOOKEEPER -> zooKeeper(place.address(), session);
        };
        closing.push(locks::close);
    }

    private Locks redis(String address) {
        RedisClient client = RedisClient.create();
        closing.push(() -> client.shutdown(Duration.ZERO, Duration.ofSeconds(2)));
        RedisBackend redis = RedisBackend.connecting(
                client, RedisURI.create(address), RedisOptions.defaults().withTimeout(TIMEOUT));
        closing.push(redis::close);
        return LeasedLocks.of(new RedisLockStore(redis));
    }

    private Locks zooKeeper(String address, Duration session) {
        CuratorFramework client = CuratorFrameworkFactory.newClient(
                address, (int) session.toMillis(), (int) TIMEOUT.toMillis(), new RetryOneTime(100));
        client.start();
        closing.push(client::close);
        return ZooKeeperLocks.builder(client).timeout(TIMEOUT).build();
    }

    /** Creates the tables, for data, fences and locks. */
    public static void create(DriverSource source) throws SQLException {
        JdbcSchema.locks(source).create();
        JdbcSchema.fences(source).create();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE data (name VARCHAR(200) NOT NULL PRIMARY KEY, writer VARCHAR(200) NOT NULL)");
        }
    }

    /** The key of this text. */
    public static OperationKey key(String text) {
        return OperationKey.of("proof.lock", Scope.of("proof"), text);
    }

    /** The locks. */
    public Locks locks() {
        return locks;
    }

    /** Raises the fence, as each holder has to before its business begins. */
    public void raise(HeldLock held) {
        fences.raise(source, held.key(), held.fence());
    }

    /**
     * Writes the row of this name, with its fence checked in the same transaction.
     *
     * @return false, and nothing is written, if the fence was refused
     */
    public boolean writeGuarded(HeldLock held, String name, String writer) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            try {
                fences.raise(connection, held.key(), held.fence());
                write(connection, name, writer);
                connection.commit();
                return true;
            } catch (StaleFenceException e) {
                connection.rollback();
                return false;
            }
        }
    }

    /** Writes the row of this name with no guard. */
    public void writeUnguarded(String name, String writer) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            write(connection, name, writer);
            connection.commit();
        }
    }

    private static void write(Connection connection, String name, String writer) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE data SET writer = ? WHERE name = ?")) {
            update.setString(1, writer);
            update.setString(2, name);
            if (update.executeUpdate() > 0) {
                return;
            }
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO data (name, writer) VALUES (?, ?)")) {
            insert.setString(1, name);
            insert.setString(2, writer);
            insert.executeUpdate();
        }
    }

    /** Who has written the row of this name last. */
    public String writer(String name) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement select = connection.prepareStatement("SELECT writer FROM data WHERE name = ?")) {
            select.setString(1, name);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }

    @Override
    public void close() {
        closing.forEach(Runnable::run);
    }
}
