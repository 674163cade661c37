package io.oncegate.benchmarks;

import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.TestDatabase;
import java.net.URI;
import java.sql.SQLException;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Locks in a database on durable settings, ours and those of others. */
final class JdbcLockGroup implements Group {
    private final Databases kind;
    private final TestDatabase database;
    private final Relay relay;
    private final JdbcLockPaths direct;
    private final JdbcLockPaths relayed;
    private final List<Row> rows;
    private final RoundTrips roundTrips;

    JdbcLockGroup(Databases kind, Plan plan) throws SQLException {
        this.kind = kind;
        database = kind.fresh();
        JdbcLockPaths.create(database, kind);
        JdbcSchema.locks(database.pool(1, true)).create();
        URI server = URI.create(database.url().substring("jdbc:".length()));
        relay = new Relay(server.getHost(), server.getPort());
        String relayUrl = database.url().replaceFirst("//[^/]+/", "//127.0.0.1:" + relay.port() + "/");
        String name = kind == Databases.POSTGRESQL ? "PostgreSQL " : "MariaDB ";
        direct = new JdbcLockPaths(database.pool(database.url(), plan.threads(), true));
        relayed = new JdbcLockPaths(database.pool(relayUrl, 1, true));
        rows = direct.rows(name, plan.threads());
        roundTrips = new RoundTrips(relay, relayed.rows(name, 1));
    }

    @Override
    public String about() throws SQLException {
        return kind + " locks: " + new BareSql(kind).settings(database)
                + "; ShedLock by the database's time, Spring Integration with a transaction manager";
    }

    @Override
    public List<Row> rows() {
        return rows;
    }

    @Override
    public RoundTrips roundTrips() {
        return roundTrips;
    }

    @Override
    public @Nullable LongSupplier serverCpu() {
        return null;
    }

    @Override
    public void clean() {
        // the names go round: no row is slower for those before it
    }

    @Override
    public void close() {
        direct.close();
        relayed.close();
        database.close();
        relay.close();
    }
}
