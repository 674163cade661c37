package io.oncegate.benchmarks;

import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.testsupport.Databases;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A database on durable settings. */
final class DatabaseGroup implements Group {
    private final MeasuredDatabase database;
    private final BareSql sql;
    private final Paths direct;
    private final Paths relayed;
    private final List<Row> rows;
    private final RoundTrips roundTrips;

    DatabaseGroup(Databases kind, Plan plan) throws SQLException {
        database = new MeasuredDatabase(kind);
        sql = new BareSql(kind);
        sql.create(database.database());
        JdbcSchema.of(database.direct(1, true)).create();
        direct = new Paths(
                database.direct(plan.threads(), false), database.direct(plan.threads(), true), plan.prefilled());
        relayed = new Paths(database.relayed(false), database.relayed(true), 4);
        double duplicateGoal = database.isPostgres() ? 0.75 : 0.90;
        rows = direct.rows(database.name() + ", ", plan.threads(), duplicateGoal);
        roundTrips = new RoundTrips(relayed.rows(database.name() + ", ", 1, duplicateGoal), database.relay());
    }

    /** The paths over pools to one address. */
    private final class Paths implements AutoCloseable {
        final TransactionPaths transactions;
        final StatementPaths statements;

        Paths(DataSource inTransactions, DataSource inAutoCommit, int prefilled) {
            transactions = new TransactionPaths(sql, inTransactions);
            statements = new StatementPaths(sql, inAutoCommit, prefilled);
        }

        List<Row> rows(String name, int threads, double duplicateGoal) {
            List<Row> all = new ArrayList<>(transactions.rows(name, threads));
            all.addAll(statements.rows(name, threads, duplicateGoal));
            return List.copyOf(all);
        }

        @Override
        public void close() {
            transactions.close();
            statements.close();
        }
    }

    @Override
    public String about() throws SQLException {
        return sql.settings(database.database());
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
        direct.statements.forgetSettled();
        relayed.statements.forgetSettled();
        sql.clean(database.database(), "oncegate_record");
    }

    @Override
    public void close() {
        direct.close();
        relayed.close();
        database.close();
    }
}
