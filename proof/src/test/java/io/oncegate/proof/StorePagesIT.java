package io.oncegate.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.Locks;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.jdbc.JdbcRecordStore;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import io.oncegate.jdbc.TransactionSource;
import io.oncegate.redis.EvictionPolicy;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import io.oncegate.redis.RedisRecordStore;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.FreePorts;
import io.oncegate.testsupport.RedisServers;
import io.oncegate.testsupport.TestDatabase;
import io.oncegate.zookeeper.ZooKeeperLocks;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;

/** What the pages in docs/stores show. */
class StorePagesIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static void runsOnce(Oncegate once) {
        Operation<String> operation =
                Operation.named("pages").returning(String.class).build();
        var call = operation.call(Scope.global(), UUID.randomUUID().toString(), Fingerprint.none());
        assertThat(once.run(call, claim -> "first")).isEqualTo(new Outcome.Executed<>("first"));
        assertThat(once.run(call, claim -> "second")).isEqualTo(new Outcome.Replayed<>("first"));
        once.close();
    }

    @Test
    void memory() {
        // snippet: memory
        Oncegate once = Oncegate.claimed(new MemoryRecordStore()).build();
        // end snippet
        runsOnce(once);
    }

    @Test
    void jdbc() throws SQLException {
        try (TestDatabase database = Databases.H2.fresh();
                var pool = database.pool(2, false);
                Connection callers = database.connect()) {
            JdbcSchema.of(pool).create();
            DataSource dataSource = pool;
            callers.setAutoCommit(false);
            Connection[] current = {callers};
            // snippet: jdbc
            JdbcSchema.of(dataSource).check();

            // claimed: the record lives apart from the effect
            Oncegate claimed = Oncegate.claimed(JdbcRecordStore.of(dataSource)).build();

            // same transaction, on connections of its own
            Oncegate own = Oncegate.sameTransaction(JdbcTransactionalRecordStore.of(dataSource))
                    .build();

            // same transaction, in the caller's when there is one: here the caller's connection, or null
            TransactionSource source = TransactionSource.joining(() -> current[0], dataSource);
            Oncegate joining = Oncegate.sameTransaction(
                            JdbcTransactionalRecordStore.builder(source).build())
                    .build();
            // end snippet
            runsOnce(claimed);
            runsOnce(own);
            runsOnce(joining);
            callers.rollback();
        }
    }

    @Test
    void redis() {
        RedisURI uri = RedisServers.standalone().uri();
        // snippet: redis
        RedisClient client = RedisClient.create();
        RedisBackend redis = RedisBackend.connecting(client, uri, RedisOptions.defaults());
        Oncegate once = Oncegate.claimed(new RedisRecordStore(redis)).build();
        // end snippet
        Await.until("connected", LIMIT, () -> !(redis.evictionPolicy() instanceof EvictionPolicy.Unreadable));
        runsOnce(once);
        redis.close();
        client.shutdown();
    }

    @Test
    void zooKeeper() throws Exception {
        try (TestingServer server = new TestingServer(FreePorts.next(), true)) {
            String ensemble = server.getConnectString();
            isUp(ensemble);
            OperationKey key = OperationKey.of("pages", Scope.global(), "42");
            // snippet: zookeeper
            CuratorFramework client = CuratorFrameworkFactory.builder()
                    .connectString(ensemble)
                    .sessionTimeoutMs(15_000) // how long a dead process's locks last
                    .retryPolicy(new ExponentialBackoffRetry(100, 3))
                    .build();
            client.start();
            Locks locks = ZooKeeperLocks.of(client);

            try (HeldLock held = locks.acquire(key, LockOptions.untilDone(), Duration.ofSeconds(5))
                    .orElseThrow()) {
                pay(held.fence());
            }
            // end snippet
            locks.close();
            client.close();
        }
    }

    /** So that the page's own client, whose waits are short, finds it ready. */
    private static void isUp(String ensemble) {
        try (CuratorFramework client =
                CuratorFrameworkFactory.newClient(ensemble, new ExponentialBackoffRetry(100, 3))) {
            client.start();
            Await.until("connected", LIMIT, () -> client.blockUntilConnected(1, TimeUnit.SECONDS));
        }
    }

    private static void pay(long fence) {
        assertThat(fence).isPositive();
    }
}
