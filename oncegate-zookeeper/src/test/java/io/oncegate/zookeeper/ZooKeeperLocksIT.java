package io.oncegate.zookeeper;

import static io.oncegate.zookeeper.Ensemble.LIMIT;
import static io.oncegate.zookeeper.Ensemble.newKey;
import static io.oncegate.zookeeper.Ensemble.tryBy;
import static io.oncegate.zookeeper.Ensemble.waitBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockEvent;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.spi.Payload;
import io.oncegate.testkit.DuplicateStorm;
import io.oncegate.testsupport.Await;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.test.WatchersDebug;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is ZooKeeper's own about these locks, while nothing is wrong with the line. */
class ZooKeeperLocksIT {
    private static final LockOptions UNTIL_DONE = LockOptions.untilDone();

    private static Ensemble ensemble;
    private static CuratorFramework client;
    private static CuratorFramework other;
    private static ZooKeeperLocks locks;

    @BeforeAll
    static void open() throws Exception {
        ensemble = new Ensemble();
        client = ensemble.client(Ensemble.LONG);
        other = ensemble.client(Ensemble.LONG);
        locks = ZooKeeperLocks.of(client);
    }

    @AfterAll
    static void close() throws Exception {
        locks.close();
        ensemble.close();
    }

    @Test
    @DisplayName("C27c: 10,000 cycles on one key and on many leave no node")
    void manyCyclesLeaveNoNode() throws Exception {
        ZooKeeperLocks cycling =
                ZooKeeperLocks.builder(client).basePath("/cycles").build();
        DuplicateStorm.of(10, Duration.ofMinutes(2), copy -> () -> {
                    OperationKey mine = newKey();
                    for (int i = 0; i < 1_000; i++) {
                        HeldLock held = tryBy(cycling, i % 10 == 0 ? newKey() : mine);
                        assertThat(held.release()).isEqualTo(LockRelease.DONE);
                    }
                    return copy;
                })
                .allReturned();
        Await.until(
                "no node is left",
                LIMIT,
                () -> client.getChildren().forPath("/cycles").isEmpty());
        cycling.close();
    }

    @Test
    void aLocksNodeIsGoneWhenItsReleaseIsDone() throws Exception {
        OperationKey key = newKey();
        HeldLock held = tryBy(locks, key);
        String lock = locks.pathOf(key);
        assertThat(other.getChildren().forPath(lock)).hasSize(1);
        assertThat(locks.tryAcquire(key, UNTIL_DONE)).isInstanceOf(Acquisition.Refused.class);
        assertThat(other.getChildren().forPath(lock))
                .as("a refused one leaves nothing")
                .hasSize(1);
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        // the parent may be gone already
        if (other.checkExists().forPath(lock) != null) {
            assertThat(other.checkExists().forPath(lock).getNumChildren()).isZero();
        }
    }

    @Test
    void theFenceIsTheTransactionThatCreatedTheNode() throws Exception {
        OperationKey key = newKey();
        HeldLock held = tryBy(locks, key);
        String node = locks.pathOf(key) + "/"
                + other.getChildren().forPath(locks.pathOf(key)).get(0);
        assertThat(held.fence()).isEqualTo(other.checkExists().forPath(node).getCzxid());
        assertThat(new String(other.getData().forPath(node), StandardCharsets.UTF_8))
                .isEqualTo(key.operation());
        assertThat(node).doesNotContain(key.value());
        held.close();
    }

    @Test
    void waitsThatTimeOutLeaveNoWatches() throws Exception {
        OperationKey key = newKey();
        HeldLock held = tryBy(locks, key);
        ZooKeeperLocks waiting = ZooKeeperLocks.of(other);
        for (int i = 0; i < 20; i++) {
            assertThat(waiting.acquire(key, UNTIL_DONE, Duration.ofMillis(1 + i)))
                    .isInstanceOf(Acquisition.Refused.class);
        }
        Await.until(
                "watches are taken back",
                LIMIT,
                () -> WatchersDebug.getDataWatches(other.getZookeeperClient().getZooKeeper()).stream()
                        .noneMatch(path -> path.startsWith(ZooKeeperLocks.DEFAULT_BASE_PATH)));
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        waiting.close();
    }

    @Test
    void onlyTheFirstOfAProcessStandsInTheQueue() throws Exception {
        OperationKey key = newKey();
        HeldLock held = tryBy(locks, key);
        List<FutureTask<LockRelease>> waiters = new CopyOnWriteArrayList<>();
        List<Thread> threads = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 5; i++) {
            FutureTask<LockRelease> waiter =
                    new FutureTask<>(() -> waitBy(locks, key).release());
            waiters.add(waiter);
            Thread thread = new Thread(waiter, "waits-" + i);
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            Await.until("waits", LIMIT, () -> thread.getState() == Thread.State.TIMED_WAITING);
        }
        Await.until(
                "in the queue",
                LIMIT,
                () -> other.getChildren().forPath(locks.pathOf(key)).size() >= 2);
        waitBy(locks, newKey()).close();
        assertThat(other.getChildren().forPath(locks.pathOf(key))).hasSize(2);
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        for (FutureTask<LockRelease> waiter : waiters) {
            assertThat(waiter.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(LockRelease.DONE);
        }
    }

    @Test
    void whoRemovesTheNodeEndsTheHoldAndItsHolderIsTold() throws Exception {
        OperationKey key = newKey();
        AtomicInteger lost = new AtomicInteger();
        HeldLock held = tryBy(locks, key);
        held.onLost(lost::incrementAndGet);
        String lock = locks.pathOf(key);
        other.delete().forPath(lock + "/" + other.getChildren().forPath(lock).get(0));
        Await.until("the holder is told", LIMIT, () -> lost.get() == 1);
        assertThat(held.isHeld()).isFalse();
        assertThat(held.renew()).isFalse();
        assertThat(held.release()).isEqualTo(LockRelease.LOST);
    }

    @Test
    void theLongestHoldCounts() throws Exception {
        OperationKey key = newKey();
        HeldLock held =
                locks.tryAcquire(key, UNTIL_DONE.maxHold(Duration.ofMillis(20))).orElseThrow();
        HeldLock next = waitBy(locks, key);
        assertThat(held.isHeld()).isFalse();
        assertThat(held.release()).isEqualTo(LockRelease.LOST);
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    void curatorsOwnMutexStandsInTheSameQueue() throws Exception {
        OperationKey key = newKey();
        InterProcessMutex mutex = new InterProcessMutex(other, locks.pathOf(key));
        mutex.acquire();
        assertThat(locks.tryAcquire(key, UNTIL_DONE)).isInstanceOf(Acquisition.Refused.class);
        mutex.release();
        HeldLock held = waitBy(locks, key);
        assertThat(mutex.acquire(1, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        assertThat(mutex.acquire(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        mutex.release();
    }

    @Test
    void namespaceAndBasePathAreKept() throws Exception {
        CuratorFramework mine = client.usingNamespace("mine");
        ZooKeeperLocks apart =
                ZooKeeperLocks.builder(mine).basePath("/here/and/there").build();
        OperationKey key = newKey();
        HeldLock held = tryBy(apart, key);
        assertThat(client.getChildren().forPath("/mine/here/and/there"))
                .containsExactly(key.id().toString());
        HeldLock beside = tryBy(locks, key);
        assertThat(beside.release()).isEqualTo(LockRelease.DONE);
        assertThat(apart.tryAcquire(key, UNTIL_DONE)).isInstanceOf(Acquisition.Refused.class);
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        apart.close();
    }

    @Test
    void windowsAndResultsAreRefusedWithTheRemedy() {
        OperationKey key = newKey();
        assertThatThrownBy(() -> locks.tryAcquire(key, LockOptions.forWindow(Duration.ofSeconds(5))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no windows")
                .hasMessageContaining("Redis or a database");
        assertThatThrownBy(() -> locks.acquire(key, UNTIL_DONE.takingResult(), LIMIT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no results");
        assertThatThrownBy(() -> ZooKeeperLocks.builder(client).basePath("/"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ZooKeeperLocks.builder(client).basePath("locks"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ZooKeeperLocks.builder(client).timeout(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aLeaseOfAnyLengthSaysNothing() {
        OperationKey key = newKey();
        HeldLock held = locks.tryAcquire(
                        key, UNTIL_DONE.lease(Duration.ofMillis(1)).notRenewed())
                .orElseThrow();
        assertThat(held.renew()).isTrue();
        assertThat(held.isHeld()).isTrue();
        assertThat(held.remaining()).isPositive();
        assertThat(held.complete(Payload.of(new byte[] {1}))).isEqualTo(LockRelease.DONE);
    }

    @Test
    void listenersAreTold() throws Exception {
        List<LockEvent.Kind> kinds = new CopyOnWriteArrayList<>();
        ZooKeeperLocks told = ZooKeeperLocks.builder(other)
                .listener(event -> kinds.add(event.kind()))
                .listener(event -> {
                    throw new IllegalStateException("a listener that fails hurts nobody");
                })
                .build();
        OperationKey key = newKey();
        HeldLock held = tryBy(told, key);
        assertThat(told.tryAcquire(key, UNTIL_DONE)).isInstanceOf(Acquisition.Refused.class);
        other.delete()
                .forPath(told.pathOf(key) + "/"
                        + other.getChildren().forPath(told.pathOf(key)).get(0));
        Await.until("lost", LIMIT, () -> kinds.contains(LockEvent.Kind.LOST));
        assertThat(held.release()).isEqualTo(LockRelease.LOST);
        assertThat(kinds).containsExactly(LockEvent.Kind.ACQUIRED, LockEvent.Kind.REFUSED, LockEvent.Kind.LOST);
        told.close();
    }

    @Test
    void aClientThatIsNotRunningIsNamed() throws Exception {
        CuratorFramework fresh = newClient();
        ZooKeeperLocks early = ZooKeeperLocks.of(fresh);
        assertThatThrownBy(() -> early.tryAcquire(newKey(), UNTIL_DONE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("start()");
        fresh.start();
        AtomicInteger lost = new AtomicInteger();
        OperationKey key = newKey();
        HeldLock held = tryBy(early, key);
        held.onLost(lost::incrementAndGet);
        FutureTask<Acquisition<HeldLock>> waiter =
                new FutureTask<>(() -> early.acquire(key, UNTIL_DONE, Duration.ofHours(1)));
        new Thread(waiter, "waits").start();
        Await.until(
                "waits",
                LIMIT,
                () -> client.getChildren().forPath(early.pathOf(key)).size() == 2);
        fresh.close();
        assertThatThrownBy(() -> waiter.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
                .hasCauseInstanceOf(StoreUnavailableException.class);
        Await.until("a closed client loses its locks", LIMIT, () -> lost.get() == 1);
        assertThat(held.isHeld()).isFalse();
        assertThat(held.release()).isEqualTo(LockRelease.LOST);
        assertThatThrownBy(() -> early.tryAcquire(newKey(), UNTIL_DONE)).isInstanceOf(StoreUnavailableException.class);
        early.close();
    }

    private static CuratorFramework newClient() {
        return org.apache.curator.framework.CuratorFrameworkFactory.newClient(
                ensemble.server.getConnectString(), new org.apache.curator.retry.RetryOneTime(10));
    }
}
