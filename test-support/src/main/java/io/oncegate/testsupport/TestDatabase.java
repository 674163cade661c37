package io.oncegate.testsupport;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** One empty database of a test's own; closing it closes its pools and drops it. Thread-safe. */
public final class TestDatabase implements AutoCloseable {

    private static final Duration CONNECTION_WAIT = Duration.ofMinutes(2);

    private final Databases kind;
    private final String url;
    private final String user;
    private final String password;
    private final Runnable drop;
    private final List<HikariDataSource> pools = new CopyOnWriteArrayList<>();

    TestDatabase(Databases kind, String url, String user, String password, Runnable drop) {
        this.kind = kind;
        this.url = url;
        this.user = user;
        this.password = password;
        this.drop = drop;
    }

    /** Which database and driver this is. */
    public Databases kind() {
        return kind;
    }

    /** Its JDBC address, without user and password. */
    public String url() {
        return url;
    }

    /** The user, who may do everything. */
    public String user() {
        return user;
    }

    /** The user's password. */
    public String password() {
        return password;
    }

    /** A connection past all pools. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }

    /** A new pool of at most {@code size} connections, whose connections begin with {@code autoCommit}. */
    public HikariDataSource pool(int size, boolean autoCommit) {
        return pool(url, size, autoCommit);
    }

    /** As {@link #pool(int, boolean)}, for an address that differs from {@link #url}, such as one with driver options. */
    public HikariDataSource pool(String address, int size, boolean autoCommit) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(address);
        config.setUsername(user);
        config.setPassword(password);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        config.setAutoCommit(autoCommit);
        config.setConnectionTimeout(CONNECTION_WAIT.toMillis());
        HikariDataSource pool = new HikariDataSource(config);
        pools.add(pool);
        return pool;
    }

    @Override
    public void close() {
        pools.forEach(HikariDataSource::close);
        drop.run();
    }

    @Override
    public String toString() {
        return url;
    }
}
