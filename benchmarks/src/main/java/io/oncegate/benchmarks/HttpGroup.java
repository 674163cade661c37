package io.oncegate.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.oncegate.benchmarks.http.OrderServer;
import io.oncegate.benchmarks.http.WebStack;
import io.oncegate.core.Oncegate;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.memory.TimeSource;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.core.token.TokenSecret;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import io.oncegate.redis.RedisRecordStore;
import io.oncegate.redis.RedisTokenStore;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.token.TokenKeySource;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringBootVersion;

/**
 * Requests by HTTP to a web server with the gate, against the same handler on a server without any. Clients and web
 * servers share this process, Redis runs beside it.
 */
final class HttpGroup implements Group {
    /** Generous: on a machine that is busy otherwise a row should be slow, not fail. */
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** Room for all that a run leaves there: nothing expires within it, and a full store refuses. */
    private static final int MEMORY_RECORDS = 2_000_000;

    private static final long MEMORY_BYTES = 2L * MEMORY_RECORDS * Orders.RESULT_BYTES.length;

    private final RedisServer server = RedisServers.own();
    private final RedisClient client = RedisClient.create();
    private final StatefulRedisConnection<byte[], byte[]> connection =
            client.connect(ByteArrayCodec.INSTANCE, server.uri());
    private final Oncegate inMemory = Oncegate.claimed(new MemoryRecordStore(
                    MEMORY_RECORDS, MEMORY_BYTES, TimeSource.system(), MemoryRecordStore.DEFAULT_PURGE_MARGIN))
            .build();
    private final Oncegate onRedis;
    private final List<HttpPaths> stacks = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();

    HttpGroup(Plan plan) {
        RedisBackend redis = RedisBackend.of(connection, RedisOptions.defaults().withTimeout(TIMEOUT));
        onRedis = Oncegate.claimed(new RedisRecordStore(redis)).build();
        OnceTokens tokens = OnceTokens.signedWith(TokenSecret.of(1, secret()))
                .store(new RedisTokenStore(redis))
                .build();
        IdempotentRoute keyed =
                IdempotentRoute.post(OrderServer.PATH, Orders.NAME).build();
        IdempotentRoute tokened = IdempotentRoute.post(OrderServer.TOKEN_PATH, Orders.NAME)
                .key(TokenKeySource.of(tokens, Orders.NAME, Orders.DAY))
                .build();
        for (WebStack stack : WebStack.values()) {
            HttpPaths paths = new HttpPaths(
                    stack.title(),
                    stack.bare(),
                    stack.gated(inMemory, List.of(keyed)),
                    stack.gated(onRedis, List.of(keyed, tokened)),
                    tokens);
            stacks.add(paths);
            rows.addAll(paths.rows(plan.threads()));
            if (stack == WebStack.MVC) {
                rows.addAll(paths.tokenRows(plan.threads()));
            }
        }
    }

    private static byte[] secret() {
        byte[] secret = new byte[TokenSecret.MIN_BYTES];
        new SecureRandom().nextBytes(secret);
        return secret;
    }

    @Override
    public String about() {
        return "http: Spring Boot " + SpringBootVersion.getVersion() + ", MVC on Tomcat and WebFlux on Netty, loopback,"
                + " clients and web servers in one process, one connection kept alive for each thread; Redis without"
                + " persistence";
    }

    @Override
    public List<Row> rows() {
        return List.copyOf(rows);
    }

    @Override
    public void clean() throws Exception {
        for (HttpPaths paths : stacks) {
            paths.clean();
        }
        connection.sync().flushdb();
    }

    @Override
    public void check() {
        stacks.forEach(HttpPaths::check);
    }

    @Override
    public void close() {
        stacks.forEach(HttpPaths::close);
        inMemory.close();
        onRedis.close();
        connection.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        server.close();
    }
}
