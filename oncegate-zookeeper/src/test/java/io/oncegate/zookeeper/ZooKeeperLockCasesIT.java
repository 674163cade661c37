package io.oncegate.zookeeper;

import static io.oncegate.zookeeper.Ensemble.LIMIT;
import static io.oncegate.zookeeper.Ensemble.newKey;
import static io.oncegate.zookeeper.Ensemble.tryBy;
import static io.oncegate.zookeeper.Ensemble.waitBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.TcpFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The line is cut, frozen or loses replies; the session ends; the server stops. All at once, for they wait most of their time. */
@Execution(ExecutionMode.CONCURRENT)
class ZooKeeperLockCasesIT {
    private static final LockOptions UNTIL_DONE = LockOptions.untilDone();
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private Ensemble ensemble;
    private TcpFault line;
    private CuratorFramework client;
    private CuratorFramework other;
    private ZooKeeperLocks locks;
    private ZooKeeperLocks twin;

    private void open(Duration session) throws Exception {
        client = ensemble.client(line, session);
        locks = ZooKeeperLocks.builder(client).timeout(TIMEOUT).build();
    }

    @BeforeEach
    void open() throws Exception {
        ensemble = new Ensemble();
        line = ensemble.line();
        other = ensemble.client(Ensemble.LONG);
        twin = ZooKeeperLocks.of(other);
    }

    @AfterEach
    void close() throws Exception {
        locks.close();
        twin.close();
        ensemble.close();
    }

    /** A row that refuses a fence below the highest that it has seen. */
    private static final class Guarded {
        private long fence;

        synchronized boolean write(long by) {
            if (by < fence) {
                return false;
            }
            fence = by;
            return true;
        }
    }

    private boolean hasNoNode(OperationKey key) throws Exception {
        return other.checkExists().forPath(locks.pathOf(key)) == null
                || other.getChildren().forPath(locks.pathOf(key)).isEmpty();
    }

    private static <T> FutureTask<T> inBackground(Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        Thread thread = new Thread(future, "background");
        thread.setDaemon(true);
        thread.start();
        return future;
    }

    private static <T> T result(FutureTask<T> task) throws Exception {
        return task.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    @DisplayName("C25: cut off for longer than its session, a holder knows that it has lost, and its fence is refused")
    void aHolderThatIsCutOffKnowsBeforeAnotherOneIsIn() throws Exception {
        open(Ensemble.SHORT);
        OperationKey key = newKey();
        Guarded row = new Guarded();
        AtomicInteger lost = new AtomicInteger();
        HeldLock held = tryBy(locks, key);
        held.onLost(lost::incrementAndGet);
        assertThat(row.write(held.fence())).isTrue();
        line.down();
        HeldLock next = waitBy(twin, key);
        assertThat(held.isHeld()).as("believes to hold what another one has").isFalse();
        assertThat(row.write(next.fence())).isTrue();
        assertThat(next.fence()).isGreaterThan(held.fence());
        Await.until("told", LIMIT, () -> lost.get() == 1);
        line.up();
        Await.until("back", LIMIT, () -> client.getZookeeperClient().isConnected());
        assertThat(row.write(held.fence())).as("a late write").isFalse();
        assertThat(held.renew()).isFalse();
        assertThat(held.release()).isEqualTo(LockRelease.LOST);
        assertThat(next.isHeld()).isTrue();
        assertThat(next.renew()).isTrue();
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    @DisplayName("C25: frozen for longer than its session, a holder knows it although no connection has been closed")
    void aHolderWhoseLineIsFrozenKnowsBeforeAnotherOneIsIn() throws Exception {
        open(Ensemble.SHORT);
        OperationKey key = newKey();
        HeldLock held = tryBy(locks, key);
        line.freeze();
        HeldLock next = waitBy(twin, key);
        assertThat(held.isHeld()).as("believes to hold what another one has").isFalse();
        assertThat(held.remaining()).isEqualTo(Duration.ZERO);
        assertThat(held.release()).isEqualTo(LockRelease.LOST);
        line.unfreeze();
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    @DisplayName("C25: suspended is lost, also if the session survives: the node is deleted, and another one gets in")
    void aShortBreakLosesTheLockForGood() throws Exception {
        open(Ensemble.LONG);
        OperationKey key = newKey();
        AtomicInteger lost = new AtomicInteger();
        HeldLock held = tryBy(locks, key);
        long session = client.getZookeeperClient().getZooKeeper().getSessionId();
        held.onLost(lost::incrementAndGet);
        line.reset();
        Await.until("told", LIMIT, () -> lost.get() == 1);
        HeldLock next = waitBy(twin, key);
        Await.until("back", LIMIT, () -> client.getZookeeperClient().isConnected());
        assertThat(client.getZookeeperClient().getZooKeeper().getSessionId()).isEqualTo(session);
        assertThat(held.isHeld()).isFalse();
        assertThat(held.renew()).isFalse();
        assertThat(next.isHeld()).isTrue();
        assertThat(held.release()).isEqualTo(LockRelease.LOST);
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
        held.onLost(lost::incrementAndGet);
        assertThat(lost.get()).isEqualTo(2);
    }

    @Test
    void aSessionThatEndsAtTheServerIsALossAndTheNextHoldHasAHigherFence() throws Exception {
        open(Ensemble.LONG);
        OperationKey key = newKey();
        AtomicInteger lost = new AtomicInteger();
        HeldLock held = tryBy(locks, key);
        held.onLost(lost::incrementAndGet);
        ensemble.expire(client);
        Await.until("told", LIMIT, () -> lost.get() == 1);
        HeldLock next = waitBy(locks, key);
        assertThat(next.fence()).isGreaterThan(held.fence());
        assertThat(held.release()).isEqualTo(LockRelease.LOST);
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    void oneWhoWaitsOutlivesItsSession() throws Exception {
        open(Ensemble.LONG);
        OperationKey key = newKey();
        HeldLock held = tryBy(twin, key);
        FutureTask<HeldLock> waiter = inBackground(() -> waitBy(locks, key));
        Await.until(
                "in the queue",
                LIMIT,
                () -> other.getChildren().forPath(locks.pathOf(key)).size() == 2);
        ensemble.expire(client);
        Await.until(
                "in the queue again",
                LIMIT,
                () -> other.getChildren().forPath(locks.pathOf(key)).size() == 2);
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        HeldLock next = result(waiter);
        assertThat(next.isHeld()).isTrue();
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    @DisplayName("C27a: with the ensemble down, asking ends in a typed error")
    void askingAStoppedServerEndsInATypedError() throws Exception {
        open(Ensemble.SHORT);
        HeldLock held = tryBy(locks, newKey());
        ensemble.server.stop();
        // a client whose retries go on for minutes must not hold up anybody
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> locks.tryAcquire(newKey(), UNTIL_DONE))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("zookeeper");
            assertThatThrownBy(() -> locks.acquire(newKey(), UNTIL_DONE, TIMEOUT.multipliedBy(2)))
                    .isInstanceOf(StoreUnavailableException.class);
        }
        assertThat(held.isHeld()).isFalse();
        assertThat(held.release()).isEqualTo(LockRelease.LOST);
        assertThatThrownBy(() -> locks.acquireAll(List.of(newKey(), newKey()), UNTIL_DONE, Duration.ofMillis(10)))
                .isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    @DisplayName("C27b: with the ensemble down, an interrupted thread ends at once")
    void anInterruptCountsWhileTheServerIsStopped() throws Exception {
        open(Ensemble.SHORT);
        tryBy(locks, newKey()).close();
        ensemble.server.stop();
        List<FutureTask<Boolean>> waiting = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        OperationKey key = newKey();
        for (int i = 0; i < 3; i++) {
            FutureTask<Boolean> task = new FutureTask<>(() -> {
                try {
                    locks.acquire(key, UNTIL_DONE, Duration.ofHours(1));
                    return false;
                } catch (InterruptedException e) {
                    return !Thread.currentThread().isInterrupted();
                }
            });
            Thread thread = new Thread(task);
            thread.start();
            waiting.add(task);
            threads.add(thread);
        }
        for (int i = 0; i < 3; i++) {
            Thread thread = threads.get(i);
            Await.until("waits", LIMIT, () -> thread.getState() == Thread.State.TIMED_WAITING);
            thread.interrupt();
            assertThat(result(waiting.get(i))).isTrue();
        }
        FutureTask<Boolean> asking = inBackground(() -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> locks.tryAcquire(key, UNTIL_DONE)).isInstanceOf(StoreUnavailableException.class);
            return Thread.currentThread().isInterrupted();
        });
        assertThat(result(asking)).isTrue();
    }

    @Test
    void aRestartedServerHasNoOrphansAndServesOn() throws Exception {
        open(Ensemble.LONG);
        OperationKey key = newKey();
        HeldLock held = tryBy(locks, key);
        FutureTask<HeldLock> waiter = inBackground(() -> waitBy(locks, key));
        ensemble.server.restart();
        HeldLock next = result(waiter);
        assertThat(held.isHeld()).isFalse();
        assertThat(held.release()).isEqualTo(LockRelease.LOST);
        assertThat(next.fence()).isGreaterThan(held.fence());
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
        Await.until("no node", LIMIT, () -> hasNoNode(key));
    }

    @Test
    @DisplayName("C88: what was created although its reply was lost is deleted")
    void aLateSuccessIsGivenUp() throws Exception {
        open(Ensemble.LONG);
        tryBy(locks, newKey()).close();
        OperationKey key = newKey();
        HeldLock held = tryBy(twin, key);
        line.loseReplies();
        assertThatThrownBy(() -> locks.acquire(key, UNTIL_DONE, Duration.ofMillis(100)))
                .isInstanceOf(StoreUnavailableException.class);
        Await.until(
                "the request has arrived",
                LIMIT,
                () -> other.getChildren().forPath(locks.pathOf(key)).size() == 2);
        line.passReplies();
        line.reset();
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        assertThat(waitBy(twin, key).release()).isEqualTo(LockRelease.DONE);
        Await.until("no node", LIMIT, () -> hasNoNode(key));
        assertThat(waitBy(locks, key).release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    @DisplayName("C27a: a node that is created after its asker has given up is deleted")
    void aLateAnswerIsGivenUp() throws Exception {
        open(Ensemble.LONG);
        OperationKey key = newKey();
        HeldLock held = tryBy(twin, key);
        tryBy(locks, newKey()).close();
        line.freeze();
        assertThatThrownBy(() -> locks.acquire(key, UNTIL_DONE, Duration.ofMillis(100)))
                .isInstanceOf(StoreUnavailableException.class);
        line.unfreeze();
        // sent behind it by the same client, so that it has been created
        waitBy(locks, newKey()).close();
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        assertThat(waitBy(twin, key).release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    void aRenewalOnAFrozenLineHasNoAnswerOrLosesTheLock() throws Exception {
        open(Ensemble.LONG);
        HeldLock held = tryBy(locks, newKey());
        assertThat(held.renew()).isTrue();
        line.freeze();
        assertThatThrownBy(held::renew).isInstanceOf(StoreUnavailableException.class);
        line.unfreeze();
        Await.until("answered again", LIMIT, () -> {
            try {
                return held.renew() == held.isHeld();
            } catch (StoreUnavailableException notYet) {
                return false;
            }
        });
        var unused = held.release();
    }

    @Test
    void aReleaseWhoseReplyIsLostIsUnknownAndIsMadeUpForInTheBackground() throws Exception {
        open(Ensemble.LONG);
        OperationKey key = newKey();
        HeldLock held = tryBy(locks, key);
        line.freeze();
        assertThat(held.release()).isEqualTo(LockRelease.UNKNOWN);
        assertThat(held.isHeld()).isFalse();
        assertThat(held.release()).isEqualTo(LockRelease.UNKNOWN);
        line.unfreeze();
        HeldLock next = waitBy(twin, key);
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    void callbacksRunWhereTheyHoldUpNobody() throws Exception {
        open(Ensemble.LONG);
        CompletableFuture<Boolean> blocked = new CompletableFuture<>();
        HeldLock first = tryBy(locks, newKey());
        HeldLock second = tryBy(locks, newKey());
        first.onLost(blocked::join);
        second.onLost(blocked::join);
        line.reset();
        Await.until("both are lost", LIMIT, () -> !first.isHeld() && !second.isHeld());
        HeldLock third = waitBy(locks, newKey());
        assertThat(third.release()).isEqualTo(LockRelease.DONE);
        blocked.complete(true);
    }
}
