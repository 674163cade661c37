package io.oncegate.benchmarks;

import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.TestDatabase;
import java.net.URI;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A database on durable settings. */
final class DatabaseGroup implements Group {
    private final TestDatabase database;
    private final BareSql sql;
    private final Relay relay;
    private final Paths direct;
    private final Paths relayed;
    private final List<Row> rows;
    private final RoundTrips roundTrips;

    DatabaseGroup(Databases kind, Plan plan) throws SQLException {
        database = kind.fresh();
        sql = new BareSql(kind);
        sql.create(database);
        JdbcSchema.of(database.pool(1, true)).create();
        URI server = URI.create(database.url().substring("jdbc:".length()));
        relay = new Relay(server.getHost(), server.getPort());
        direct = new Paths(database.url(), plan.threads(), plan.prefilled());
        String relayUrl = database.url().replaceFirst("//[^/]+/", "//127.0.0.1:" + relay.port() + "/");
        relayed = new Paths(relayUrl, 1, 4);
        String name = switch (kind) {
            case POSTGRESQL -> "PostgreSQL, ";
            case MARIADB -> "MariaDB, ";
            case MARIADB_MYSQL_DRIVER -> "MariaDB by MySQL's driver, ";
            case H2 -> "H2, ";
        };
        double duplicateGoal = kind == Databases.POSTGRESQL ? 0.75 : 0.90;
        rows = direct.rows(name, plan.threads(), duplicateGoal);
        roundTrips = new RoundTrips(relay, relayed.rows(name, 1, duplicateGoal));
    }

    /** The paths over pools to one address. */
    private final class Paths implements AutoCloseable {
        final TransactionPaths transactions;
        final StatementPaths statements;

        Paths(String url, int threads, int prefilled) {
            transactions = new TransactionPaths(sql, database.pool(url, threads, false));
            statements = new StatementPaths(sql, database.pool(url, threads, true), prefilled);
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
        return sql.settings(database);
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
    public void clean() throws SQLException {
        direct.statements.forgetSettled();
        relayed.statements.forgetSettled();
        sql.clean(database);
    }

    @Override
    public void close() {
        direct.close();
        relayed.close();
        database.close();
        relay.close();
    }
}
