package io.oncegate.benchmarks;

import io.oncegate.testsupport.Databases;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Duplicates in tables of one's own: insert-first as ours and by hand, and what others offer. */
final class DataGroup implements Group {
    private final MeasuredDatabase database;
    private final BareSql sql;
    private final Paths direct;
    private final Paths relayed;
    private final List<Row> rows;
    private final RoundTrips roundTrips;

    DataGroup(Databases kind, Plan plan) throws SQLException {
        database = new MeasuredDatabase(kind);
        sql = new BareSql(kind);
        sql.create(database.database());
        PeerPaths.create(database.database());
        direct = new Paths(
                database.direct(plan.threads(), true), database.direct(plan.threads(), false), plan.prefilled());
        relayed = new Paths(database.relayed(true), database.relayed(false), 4);
        String prefix = database.name() + " data, ";
        double duplicateGoal = database.isPostgres() ? 0.75 : 0.90;
        rows = direct.rows(prefix, plan.threads(), duplicateGoal);
        roundTrips = new RoundTrips(relayed.rows(prefix, 1, duplicateGoal), database.relay());
    }

    /** The paths over pools to one address. */
    private final class Paths implements AutoCloseable {
        final InsertFirstPaths insertFirst;
        final PeerPaths peers;

        Paths(DataSource inAutoCommit, DataSource inTransactions, int prefilled) {
            insertFirst = new InsertFirstPaths(sql, inAutoCommit, inTransactions, prefilled);
            peers = new PeerPaths(sql, inTransactions, prefilled);
        }

        List<Row> rows(String prefix, int threads, double duplicateGoal) {
            return Stream.concat(
                            insertFirst.rows(prefix, threads, duplicateGoal).stream(),
                            peers.rows(prefix, threads).stream())
                    .toList();
        }

        void forgetKnown() {
            insertFirst.forgetKnown();
            peers.forgetKnown();
        }

        @Override
        public void close() {
            peers.close();
        }
    }

    @Override
    public String about() throws SQLException {
        return database.name() + " data: " + sql.settings(database.database())
                + "; Camel and Spring Integration in Spring transactions, auto-commit off";
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
    public void clean() throws SQLException {
        direct.forgetKnown();
        relayed.forgetKnown();
        sql.clean(database.database(), "CAMEL_MESSAGEPROCESSED", "INT_METADATA_STORE");
    }

    @Override
    public void close() {
        direct.close();
        relayed.close();
        database.close();
    }
}
