package io.oncegate.benchmarks;

import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.spi.ClaimAnswer.Granted;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.Settlement;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Same-transaction mode against the unguarded transaction and a guard written by hand; auto-commit is off. Thread-safe. */
final class TransactionPaths implements AutoCloseable {
    private final BareSql sql;
    private final DataSource source;
    private final JdbcTransactionalRecordStore store;
    private final Oncegate engine;

    TransactionPaths(BareSql sql, DataSource source) {
        this.sql = sql;
        this.source = source;
        this.store = JdbcTransactionalRecordStore.of(source);
        this.engine = Oncegate.sameTransaction(store).build();
    }

    List<Row> rows(String prefix, int threads) {
        return Stream.of(
                        Stream.of(
                                row(prefix + "noise: unguarded to itself", threads, this::unguarded, this::unguarded)),
                        withoutResult(prefix, threads),
                        withResult(prefix, threads),
                        late(prefix, threads))
                .flatMap(rows -> rows)
                .toList();
    }

    private Stream<Row> withoutResult(String prefix, int threads) {
        Goal goal = Goal.ratio(0.97);
        return Stream.of(
                row(prefix + "no result, by hand to unguarded", threads, this::unguarded, () -> hand(BareSql.GUARD)),
                row(prefix + "no result, engine to unguarded", threads, this::unguarded, this::call)
                        .known("0.78 MariaDB, 0.77 PostgreSQL; Camel 0.34 / 0.54, Spring Integration 0.43 / 0.64"),
                row(prefix + "no result, engine to unguarded", 1, this::unguarded, this::call),
                row(prefix + "no result, store to by hand", threads, () -> hand(BareSql.GUARD), this::recordFirst)
                        .goal(goal),
                row(prefix + "no result, engine to by hand", threads, () -> hand(BareSql.GUARD), this::call)
                        .goal(goal),
                row(
                        prefix + "no result, engine to by hand without clean-up index",
                        threads,
                        () -> hand(BareSql.LEAN_GUARD),
                        this::call));
    }

    private Stream<Row> withResult(String prefix, int threads) {
        Goal goal = Goal.ratio(0.97);
        return Stream.of(
                row(prefix + "300 B result, by hand to unguarded", threads, this::unguarded, this::handWithResult),
                row(prefix + "300 B result, engine to unguarded", threads, this::unguarded, this::callWithResult)
                        .known("0.60 MariaDB, 0.67 PostgreSQL"),
                row(prefix + "300 B result, engine to unguarded", 1, this::unguarded, this::callWithResult),
                row(prefix + "300 B result, store to by hand", threads, this::handWithResult, this::recordAndComplete)
                        .goal(goal),
                row(prefix + "300 B result, engine to by hand", threads, this::handWithResult, this::callWithResult)
                        .goal(goal));
    }

    private Stream<Row> late(String prefix, int threads) {
        return Stream.of(
                row(
                        prefix + "300 B result recorded late, by hand to unguarded",
                        threads,
                        this::unguarded,
                        this::handLate),
                row(
                                prefix + "300 B result recorded late, engine to unguarded",
                                threads,
                                this::unguarded,
                                this::callLate)
                        .goal(Goal.ratio(0.75)),
                row(prefix + "300 B result recorded late, engine to unguarded", 1, this::unguarded, this::callLate)
                        .goal(Goal.ratio(0.75)),
                row(prefix + "300 B result recorded late, engine to by hand", threads, this::handLate, this::callLate));
    }

    private static Row row(String path, int threads, Body bare, Body guarded) {
        return Row.of(path, threads, Side.all(bare), Side.all(guarded));
    }

    private interface Statements {
        void run(Connection connection, String request) throws SQLException;
    }

    private void transaction(Statements statements) throws SQLException {
        try (Connection connection = source.getConnection()) {
            statements.run(connection, Keys.next());
            connection.commit();
        }
    }

    private void unguarded() throws SQLException {
        transaction(sql::business);
    }

    private void hand(String table) throws SQLException {
        transaction((connection, request) -> {
            sql.guard(connection, table, request, Hand.fingerprint(), Hand.NONE);
            sql.business(connection, request);
        });
    }

    private void handWithResult() throws SQLException {
        transaction((connection, request) -> {
            sql.guard(connection, BareSql.GUARD, request, Hand.fingerprint(), Hand.NONE);
            sql.business(connection, request);
            sql.guardResult(connection, request);
        });
    }

    private void handLate() throws SQLException {
        transaction((connection, request) -> {
            sql.business(connection, request);
            sql.guard(connection, BareSql.GUARD, request, Hand.fingerprint(), Orders.RESULT_BYTES);
        });
    }

    private void recordFirst() throws SQLException {
        store(Orders.SETTLED_WITHOUT_RESULT, false);
    }

    private void recordAndComplete() throws SQLException {
        store(Orders.SETTLED, true);
    }

    private void store(Settlement settlement, boolean completes) throws SQLException {
        String request = Keys.next();
        ClaimRequest claim = Orders.request(request);
        RecordTransaction transaction = store.begin();
        boolean committed = false;
        try {
            Orders.expect(Granted.class, transaction.recordFirst(claim, Orders.SETTLED_WITHOUT_RESULT, Duration.ZERO));
            sql.business(connection(transaction.unwrap(Connection.class)), request);
            if (completes) {
                transaction.complete(settlement);
            }
            committed = true;
            transaction.commit();
        } finally {
            if (!committed) {
                transaction.rollback();
            }
        }
    }

    @SuppressWarnings("NullAway") // an operation without a result returns null
    private void call() throws SQLException {
        String request = Keys.next();
        Orders.expect(
                Outcome.Executed.class,
                engine.<Void, SQLException>run(Orders.call(Orders.WITHOUT_RESULT, request), claim -> {
                    sql.business(connection(claim.unwrap(Connection.class)), request);
                    return null;
                }));
    }

    private void callWithResult() throws SQLException {
        call(Orders.WITH_RESULT);
    }

    private void callLate() throws SQLException {
        call(Orders.LATE);
    }

    private void call(Operation<String> operation) throws SQLException {
        String request = Keys.next();
        Orders.expect(
                Outcome.Executed.class, engine.<String, SQLException>run(Orders.call(operation, request), claim -> {
                    sql.business(connection(claim.unwrap(Connection.class)), request);
                    return Orders.RESULT;
                }));
    }

    private static Connection connection(@org.jspecify.annotations.Nullable Connection connection) {
        return Objects.requireNonNull(connection);
    }

    @Override
    public void close() {
        engine.close();
    }
}
