package io.oncegate.proof;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.Call;
import io.oncegate.core.Oncegate;
import io.oncegate.core.OncegateBuilder;
import io.oncegate.core.Operation;
import io.oncegate.core.Work;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.TransactionalRecordStore;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import io.oncegate.jdbc.TransactionSource;
import io.oncegate.testkit.CrashPoints;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** A database with effects, and an engine in same-transaction mode on it. */
final class SameTransactionScene implements AutoCloseable {
    static final Fingerprint TEN = Fingerprint.of("10");
    private static final Scope SCOPE = Scope.of("alice");

    final TestDatabase database;
    final Watch watch = new Watch();
    final CrashPoints points = new CrashPoints();
    final AtomicInteger runs = new AtomicInteger();
    final Effects effects;
    final Oncegate once;
    private final HikariDataSource pool;
    private final List<HikariDataSource> pools = new ArrayList<>();

    SameTransactionScene(Databases kind) throws SQLException {
        database = kind.fresh();
        pool = database.pool(8, false);
        effects = new Effects(pool);
        effects.create();
        execute("CREATE TABLE seat (name VARCHAR(200) NOT NULL PRIMARY KEY)");
        once = Oncegate.sameTransaction(points.around(store(pool))).build();
    }

    Databases kind() {
        return database.kind();
    }

    private TransactionalRecordStore store(DataSource source) {
        return JdbcTransactionalRecordStore.of(watch.on(source));
    }

    /** A pool of one connection, for which nobody waits longer than this. */
    HikariDataSource poolOfOne(Duration wait) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(new DriverSource(database.url(), database.user(), database.password()));
        config.setMaximumPoolSize(1);
        config.setAutoCommit(false);
        config.setConnectionTimeout(wait.toMillis());
        HikariDataSource one = new HikariDataSource(config);
        pools.add(one);
        return one;
    }

    /** An engine of its own on a pool of its own. */
    Oncegate on(DataSource source) {
        return Oncegate.sameTransaction(store(source)).build();
    }

    /** An engine that joins the transaction on the connection that the supplier has, if it has one. */
    Oncegate joining(Supplier<Connection> callers, DataSource source) {
        return Oncegate.sameTransaction(JdbcTransactionalRecordStore.builder(TransactionSource.joining(callers, source))
                        .build())
                .build();
    }

    /** A ladder whose judge joins the transaction on the connection that the supplier has, if it has one. */
    OncegateBuilder ladder(RecordStore fast, Supplier<Connection> callers) {
        TransactionSource source = TransactionSource.joining(callers, watch.on(pool));
        return Oncegate.ladder(
                fast, points.around(JdbcTransactionalRecordStore.builder(source).build()));
    }

    DataSource pool() {
        return pool;
    }

    /** An engine that gives up soon. */
    Oncegate impatient() {
        return Oncegate.sameTransaction(points.around(store(pool)))
                .settleFor(Duration.ofMillis(100))
                .build();
    }

    static Operation.Builder<String> text() {
        return Operation.named("order.create").returning(String.class);
    }

    static String newKey() {
        return "key-" + UUID.randomUUID();
    }

    static <T> Call<T> call(Operation<T> operation, String key) {
        return operation.call(SCOPE, key, TEN);
    }

    static <T> Call<T> call(Operation<T> operation, String key, Fingerprint fingerprint) {
        return operation.call(SCOPE, key, fingerprint);
    }

    /** A business that makes one effect and returns the value. */
    <T> Work<T, SQLException> effect(String key, T value) {
        return claim -> {
            runs.incrementAndGet();
            Connection connection = claim.unwrap(Connection.class);
            Effects.write(connection, key, 1, claim.fence());
            Effects.write(connection, key, 2, claim.fence());
            return value;
        };
    }

    /** A business that makes one effect and then fails. */
    <T, E extends Exception> Work<T, Exception> effectThenFail(String key, E failure) {
        return claim -> {
            this.<T>effect(key, null).run(claim);
            throw failure;
        };
    }

    /** Takes a seat that can be taken once. */
    static void takeSeat(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO seat (name) VALUES (?)")) {
            statement.setString(1, name);
            statement.executeUpdate();
        }
    }

    Effects.Seen see(Call<?> call) throws SQLException {
        return effects.see(call.key().value(), call.key().id());
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
            connection.commit();
        }
    }

    @Override
    public void close() {
        once.close();
        pools.forEach(HikariDataSource::close);
        database.close();
    }
}
