package io.oncegate.proof;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.oncegate.core.Call;
import io.oncegate.core.ClaimContext;
import io.oncegate.core.Oncegate;
import io.oncegate.core.OncegateBuilder;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.jdbc.JdbcRecordStore;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import io.oncegate.jdbc.TransactionSource;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import io.oncegate.redis.RedisRecordStore;
import io.oncegate.testkit.CrashPoints;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** One process's way to a {@link Place}: its own engine, store handles and connections. Thread-safe. */
public final class Side implements AutoCloseable {
    private static final Duration RETENTION = Duration.ofHours(24);

    private final Watch watch = new Watch();
    private final Watch claims = new Watch();
    private final CrashPoints points = new CrashPoints();
    private final DataSource watched;
    private final Effects effects;
    private final Operation<String> operation;
    private final Oncegate once;
    private final RecordBrowser browser;
    private final @Nullable RedisClient client;
    private final @Nullable RedisBackend redis;

    /** What can be set on a side. */
    public record Settings(Duration lease, Duration timeout, Duration settleFor) {
        /** The defaults, but for the lease. */
        public static Settings lease(Duration lease) {
            return new Settings(lease, Duration.ofSeconds(20), OncegateBuilder.DEFAULT_SETTLE_FOR);
        }
    }

    /** Goes to the place. Nothing is connected yet. */
    public Side(Place place, Settings settings) {
        DataSource plain = new DriverSource(place.url(), place.user(), place.password());
        this.watched = watch.on(plain);
        this.effects = new Effects(plain);
        Operation.Builder<String> builder = Operation.named("proof.effect")
                .returning(String.class)
                .lease(settings.lease())
                .retention(RETENTION);
        this.operation = (place.mode() == Mode.SAME_TRANSACTION_LATE ? builder.recordLate() : builder).build();
        JdbcRecordStore records = JdbcRecordStore.builder(claims.on(plain))
                .timeout(settings.timeout())
                .build();
        if (place.mode() == Mode.CLAIMED_REDIS) {
            client = RedisClient.create();
            redis = RedisBackend.connecting(
                    client,
                    RedisURI.create(place.redis()),
                    RedisOptions.defaults().withTimeout(settings.timeout()));
            RedisRecordStore store = new RedisRecordStore(redis);
            browser = store;
            once = claimed(store, settings);
        } else {
            client = null;
            redis = null;
            browser = records;
            once = place.mode().sameTransaction() ? sameTransaction(settings) : claimed(records, settings);
        }
    }

    private Oncegate claimed(RecordStore store, Settings settings) {
        return Oncegate.claimed(points.around(store))
                .settleFor(settings.settleFor())
                .build();
    }

    private Oncegate sameTransaction(Settings settings) {
        JdbcTransactionalRecordStore store = JdbcTransactionalRecordStore.builder(TransactionSource.of(watched))
                .timeout(settings.timeout())
                .build();
        return Oncegate.sameTransaction(points.around(store))
                .settleFor(settings.settleFor())
                .build();
    }

    /** What is sent for records in the effect's transaction, and for effects. */
    public Watch watch() {
        return watch;
    }

    /** What is sent for records that are claimed in a database. */
    public Watch claims() {
        return claims;
    }

    /** The points around the store. */
    public CrashPoints points() {
        return points;
    }

    /** The effects. */
    public Effects effects() {
        return effects;
    }

    /** The call of this key. */
    public Call<String> call(String key) {
        return operation.call(Scope.of("proof"), key, Fingerprint.of(key));
    }

    /** Asks for an effect of this name, and the value as its result. */
    public Outcome<String> run(String key, String value) throws SQLException {
        return run(key, value, () -> {});
    }

    /** The same, doing something when half the effect is written. */
    public Outcome<String> run(String key, String value, Runnable halfway) throws SQLException {
        return once.run(call(key), claim -> {
            perform(claim, key, halfway);
            return value;
        });
    }

    private void perform(ClaimContext claim, String key, Runnable halfway) throws SQLException {
        Connection joined = claim.unwrap(Connection.class);
        if (joined != null) {
            write(joined, claim, key, halfway);
            return;
        }
        try (Connection own = watched.getConnection()) {
            own.setAutoCommit(false);
            write(own, claim, key, halfway);
            own.commit();
        }
    }

    private static void write(Connection connection, ClaimContext claim, String key, Runnable halfway)
            throws SQLException {
        Effects.write(connection, key, 1, claim.fence());
        halfway.run();
        Effects.write(connection, key, 2, claim.fence());
    }

    /** What is there of this key in the database. */
    public Effects.Seen see(String key) throws SQLException {
        return effects.see(key, call(key).key().id());
    }

    /** The key's record. */
    public Optional<RecordBrowser.Entry> record(String key) {
        return browser.find(call(key).key().id());
    }

    /** The present time by the store's clock, in microseconds since 1970. */
    public long storeMicros(Place place) throws SQLException {
        if (client == null) {
            return effects.micros();
        }
        try (StatefulRedisConnection<String, String> connection = client.connect(RedisURI.create(place.redis()))) {
            List<String> time = connection.sync().time();
            return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
        }
    }

    @Override
    public void close() {
        once.close();
        if (redis != null) {
            redis.close();
        }
        if (client != null) {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }
}
