package io.oncegate.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** The ladder: Redis without persistence before a database on durable settings. */
final class LadderGroup implements Group {
    private final MeasuredDatabase database;
    private final BareSql sql;
    private final RedisServer server = RedisServers.own();
    private final RedisClient client = RedisClient.create();
    private final Relay relay = new Relay(server.host(), server.port());
    private final LadderPaths direct;
    private final LadderPaths relayed;
    private final List<Row> rows;
    private final RoundTrips roundTrips;

    LadderGroup(Databases kind, Plan plan) throws SQLException {
        database = new MeasuredDatabase(kind);
        sql = new BareSql(kind);
        sql.create(database.database());
        JdbcSchema.of(database.direct(1, true)).create();
        direct = new LadderPaths(connect(server.uri()), sql, database.direct(plan.threads(), false), plan.prefilled());
        relayed = new LadderPaths(connect(RedisURI.create("127.0.0.1", relay.port())), sql, database.relayed(false), 4);
        String prefix = database.name() + " ladder, ";
        rows = direct.rows(prefix, plan.threads());
        roundTrips = new RoundTrips(relayed.rows(prefix, 1), relay, database.relay());
    }

    private StatefulRedisConnection<byte[], byte[]> connect(RedisURI uri) {
        return client.connect(ByteArrayCodec.INSTANCE, uri);
    }

    @Override
    public String about() throws SQLException {
        return database.name() + " ladder: Redis without persistence, loopback, one connection for all threads; before "
                + sql.settings(database.database());
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
    public void clean() throws Exception {
        direct.forgetSettled();
        relayed.forgetSettled();
        sql.clean(database.database(), "oncegate_record");
    }

    @Override
    public void close() {
        direct.close();
        relayed.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        relay.close();
        server.close();
        database.close();
    }
}
