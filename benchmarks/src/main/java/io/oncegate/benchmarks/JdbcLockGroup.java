package io.oncegate.benchmarks;

import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.testsupport.Databases;
import java.sql.SQLException;
import java.util.List;

/** Locks in a database on durable settings, ours and those of others. */
final class JdbcLockGroup implements Group {
    private final MeasuredDatabase database;
    private final JdbcLockPaths direct;
    private final JdbcLockPaths relayed;
    private final List<Row> rows;
    private final RoundTrips roundTrips;

    JdbcLockGroup(Databases kind, Plan plan) throws SQLException {
        database = new MeasuredDatabase(kind);
        JdbcLockPaths.create(database.database(), kind);
        JdbcSchema.locks(database.direct(1, true)).create();
        direct = new JdbcLockPaths(database.direct(plan.threads(), true));
        relayed = new JdbcLockPaths(database.relayed(true));
        rows = direct.rows(database.name() + " ", plan.threads());
        roundTrips = new RoundTrips(relayed.rows(database.name() + " ", 1), database.relay());
    }

    @Override
    public String about() throws SQLException {
        return database.kind() + " locks: " + new BareSql(database.kind()).settings(database.database())
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
    public void clean() {
        // the names go round: no row is slower for those before it
    }

    @Override
    public void close() {
        direct.close();
        relayed.close();
        database.close();
    }
}
