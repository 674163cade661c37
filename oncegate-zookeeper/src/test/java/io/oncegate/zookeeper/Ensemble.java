package io.oncegate.zookeeper;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.FreePorts;
import io.oncegate.testsupport.TcpFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.ZooKeeper;

/** One ZooKeeper, and clients that go to it straight or by a line that can be broken. */
final class Ensemble implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(60);

    /** Longer than any test, as far as the server's tick allows it. */
    static final Duration LONG = Duration.ofSeconds(10);

    /** So short that a test can wait for its end. */
    static final Duration SHORT = Duration.ofSeconds(3);

    private static final int TICK_MILLIS = 500;

    final TestingServer server;
    private final List<AutoCloseable> open = new ArrayList<>();

    static {
        // no test here is about what a disk keeps
        System.setProperty("zookeeper.forceSync", "no");
    }

    Ensemble() throws Exception {
        server = new TestingServer(new InstanceSpec(null, FreePorts.next(), -1, -1, true, -1, TICK_MILLIS, 200), true);
    }

    /** A line to the server. */
    TcpFault line() {
        TcpFault line = TcpFault.to("127.0.0.1", server.getPort());
        open.add(0, line);
        return line;
    }

    /** A client that is connected. */
    CuratorFramework client(Duration session) {
        return client(server.getConnectString(), session);
    }

    CuratorFramework client(TcpFault line, Duration session) {
        return client(line.host() + ":" + line.port(), session);
    }

    private CuratorFramework client(String address, Duration session) {
        CuratorFramework client = CuratorFrameworkFactory.builder()
                .connectString(address)
                .sessionTimeoutMs((int) session.toMillis())
                .connectionTimeoutMs(2_000)
                .retryPolicy(new ExponentialBackoffRetry(50, 3, 500))
                .build();
        client.start();
        open.add(0, client);
        Await.until("connected", LIMIT, () -> client.blockUntilConnected(1, TimeUnit.SECONDS));
        return client;
    }

    /** Ends the client's session at the server, as its time-out would. */
    void expire(CuratorFramework client) throws Exception {
        ZooKeeper of = client.getZookeeperClient().getZooKeeper();
        CountDownLatch connected = new CountDownLatch(1);
        try (ZooKeeper thief = new ZooKeeper(
                server.getConnectString(),
                2_000,
                event -> connected.countDown(),
                of.getSessionId(),
                of.getSessionPasswd())) {
            connected.await();
        }
    }

    static OperationKey newKey() {
        return OperationKey.of(
                "zookeeper.test", Scope.of("test"), UUID.randomUUID().toString());
    }

    static HeldLock acquired(Acquisition<HeldLock> acquisition) {
        return acquisition.orElseThrow();
    }

    static HeldLock tryBy(ZooKeeperLocks locks, OperationKey key) {
        return acquired(locks.tryAcquire(key, LockOptions.untilDone()));
    }

    static HeldLock waitBy(ZooKeeperLocks locks, OperationKey key) throws InterruptedException {
        return acquired(locks.acquire(key, LockOptions.untilDone(), LIMIT));
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
        server.close();
    }
}
