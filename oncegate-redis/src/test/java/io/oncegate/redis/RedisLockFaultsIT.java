package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockEvent;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.Patience;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import io.oncegate.testsupport.TcpFault;
import io.oncegate.testsupport.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("C88: Redis is cut off or restarted while locks are held")
class RedisLockFaultsIT {
    private static final Duration TIMEOUT = Duration.ofMillis(400);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Longer than any test: what is free before was freed by somebody. */
    private static final LockOptions LONG = LockOptions.untilDone().lease(Duration.ofHours(1));

    @AutoClose
    private final RedisServer server = RedisServers.own();

    @AutoClose
    private final TcpFault line = TcpFault.to(server);

    @AutoClose
    private final Handles handles = new Handles();

    private final List<LockEvent.Kind> events = new CopyOnWriteArrayList<>();
    private final Lock lock = Lock.fresh();
    private RedisCommands<byte[], byte[]> redis;

    /** Gives up soon; used only while the line is broken. */
    private LockStore impatient;

    private LockStore cut;
    private LockStore direct;
    private LeasedLocks locks;

    @BeforeEach
    void connect() {
        RedisURI uri = RedisURI.create(line.host(), line.port());
        impatient = new RedisLockStore(handles.backend(uri, Handles.OPTIONS.withTimeout(TIMEOUT)));
        cut = Patience.unless(line::isBroken, LockStore.class, handles.lockStore(uri), impatient);
        direct = handles.lockStore(server.uri());
        redis = handles.client(server.uri()).connect(ByteArrayCodec.INSTANCE).sync();
        locks = handles.locks(cut, event -> events.add(event.kind()));
        warm(impatient);
        warm(cut);
        warm(direct);
    }

    /** All scripts known: what is sent is one command. */
    private static void warm(LockStore store) {
        Await.until("warm", PATIENCE, () -> {
            Lock each = Lock.fresh();
            ClaimRef first = each.grantedAt(store);
            LockRequest next = each.request();
            ClaimRef second = new ClaimRef(first.id(), store.pass(first, next).orElseThrow(), next.attempt());
            return store.renew(second, Lock.LEASE) == HolderAnswer.DONE
                    && store.end(second, LockEnd.released()) == HolderAnswer.DONE;
        });
    }

    private void answersAgain() {
        Await.until(
                "answers again",
                PATIENCE,
                () -> Lock.fresh().isFreeAt(cut) && Lock.fresh().isFreeAt(impatient));
    }

    private void becomesFree(Lock which) {
        Await.until("free long before its lease is over", PATIENCE, () -> which.isFreeAt(direct));
    }

    @Test
    void frozenWhileAcquiringIsUnknownAndLeavesNoOrphan() {
        line.freeze();
        assertThatThrownBy(() -> locks.tryAcquire(lock.key(), LONG)).isInstanceOf(StoreUnavailableException.class);
        assertThat(events).containsExactly(LockEvent.Kind.STORE_DOWN);
        line.unfreeze();
        answersAgain();
        becomesFree(lock);
    }

    @Test
    void anAcquisitionWhoseAskerNeverComesBackEndsWithItsLease() {
        Lock brief = lock.lease(Duration.ofMillis(500));
        line.loseReplies();
        LockRequest request = brief.request();
        assertThatThrownBy(() -> cut.acquire(request)).isInstanceOf(StoreUnavailableException.class);
        Await.until("its lease is over", PATIENCE, () -> brief.isFreeAt(direct));
    }

    @Test
    void anAcquisitionThatWaitsFindsItsOwnLockWhenTheLineThaws() throws Exception {
        line.freeze();
        CompletableFuture<HeldLock> held = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            try {
                held.complete(Lock.held(locks.acquire(lock.key(), LONG, PATIENCE)));
            } catch (InterruptedException | RuntimeException | AssertionError e) {
                held.completeExceptionally(e);
            }
        });
        waiter.start();
        Await.until("it has asked", PATIENCE, () -> waiter.getState() == Thread.State.TIMED_WAITING);
        line.unfreeze();
        waiter.join();
        HeldLock mine = held.get();
        assertThat(lock.askedAt(direct))
                .isInstanceOfSatisfying(
                        LockAnswer.Held.class,
                        other -> assertThat(other.fence()).isEqualTo(mine.fence()));
        assertThat(mine.release()).isEqualTo(LockRelease.DONE);
        assertThat(lock.isFreeAt(direct)).isTrue();
    }

    @Test
    void whatWasDoneAndNotHeardOfIsAnsweredTheSameByTheSameAttempt() {
        LockRequest request = lock.request();
        LockRequest next = lock.request();
        line.loseReplies();
        assertThatThrownBy(() -> cut.acquire(request)).isInstanceOf(StoreUnavailableException.class);
        Await.until("it has come through", PATIENCE, () -> redis.exists(lock.name()) == 1);
        LockAnswer.Held granted = (LockAnswer.Held) lock.askedAt(direct);
        thaw();
        assertThat(cut.acquire(request)).isEqualTo(new LockAnswer.Granted(granted.fence()));
        ClaimRef first = new ClaimRef(lock.id(), granted.fence(), request.attempt());

        line.loseReplies();
        assertThatThrownBy(() -> cut.pass(first, next)).isInstanceOf(StoreUnavailableException.class);
        Await.until("it has come through", PATIENCE, () -> fenceAtRedis() > first.fence());
        long passed = fenceAtRedis();
        thaw();
        assertThat(cut.pass(first, next)).isEqualTo(OptionalLong.of(passed));
        assertThat(cut.end(first, LockEnd.released())).isEqualTo(HolderAnswer.LOST);
        ClaimRef second = new ClaimRef(lock.id(), passed, next.attempt());

        line.loseReplies();
        assertThatThrownBy(() -> cut.end(second, LockEnd.released())).isInstanceOf(StoreUnavailableException.class);
        thaw();
        assertThat(cut.end(second, LockEnd.released())).isEqualTo(HolderAnswer.DONE);
        ClaimRef third = lock.grantedAt(direct);
        assertThat(cut.end(second, LockEnd.released())).isEqualTo(HolderAnswer.LOST);
        assertThat(direct.renew(third, Lock.LEASE)).isEqualTo(HolderAnswer.DONE);
    }

    private void thaw() {
        line.passReplies();
        line.reset();
        answersAgain();
    }

    @Test
    @DisplayName("C11: renewed through an outage that is shorter than the lease")
    void renewedThroughAShortOutage() {
        HeldLock held =
                Lock.held(locks.tryAcquire(lock.key(), LockOptions.untilDone().lease(Duration.ofSeconds(9))));
        Duration before = leftAtRedis();
        line.freeze();
        Await.until(
                "a renewal without an answer", PATIENCE, () -> leftAtRedis().compareTo(Duration.ofMillis(5_400)) < 0);
        line.unfreeze();
        Await.until("renewed", PATIENCE, () -> leftAtRedis().compareTo(Duration.ofSeconds(6)) > 0);
        assertThat(before).isLessThanOrEqualTo(Duration.ofSeconds(9));
        assertThat(held.isHeld()).isTrue();
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        assertThat(events).doesNotContain(LockEvent.Kind.LOST);
    }

    private long fenceAtRedis() {
        return ((LockAnswer.Held) lock.askedAt(direct)).fence();
    }

    private Duration leftAtRedis() {
        return ((LockAnswer.Held) lock.askedAt(direct)).left();
    }

    @Test
    void frozenForLongerThanTheLeaseIsToldAndChangesNothingLater() {
        HeldLock held =
                Lock.held(locks.tryAcquire(lock.key(), LockOptions.untilDone().lease(Duration.ofSeconds(1))));
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        held.onLost(() -> told.complete(true));
        line.freeze();
        Await.until("told, although nothing is heard", PATIENCE, told::isDone);
        ClaimRef other = grantedToAnother();
        line.unfreeze();
        answersAgain();
        assertThat(held.release()).isEqualTo(LockRelease.LOST);
        assertThat(direct.renew(other, Lock.LEASE)).isEqualTo(HolderAnswer.DONE);
    }

    private ClaimRef grantedToAnother() {
        ClaimRef[] other = new ClaimRef[1];
        Await.until("free", PATIENCE, () -> {
            other[0] = lock.grantedAt(direct);
            return true;
        });
        return other[0];
    }

    @Test
    void frozenWhileReleasingIsUnknownAndEndsWhenTheLineThaws() {
        HeldLock held = Lock.held(locks.tryAcquire(lock.key(), LONG));
        line.freeze();
        assertThat(held.release()).isEqualTo(LockRelease.UNKNOWN);
        assertThat(held.isHeld()).isFalse();
        assertThat(events).contains(LockEvent.Kind.RELEASE_UNKNOWN);
        line.unfreeze();
        becomesFree(lock);
    }

    @Test
    void aReleaseThatWasDoneAndNotHeardOfHurtsNobodyWhenItIsSentAgain() {
        HeldLock held = Lock.held(locks.tryAcquire(lock.key(), LONG));
        line.loseReplies();
        assertThat(held.release()).isEqualTo(LockRelease.UNKNOWN);
        ClaimRef other = grantedToAnother();
        thaw();
        // sent again each quarter of a second: it has had its time when another line of the same kind is served
        HeldLock later = Lock.held(locks.tryAcquire(Lock.fresh().key(), LONG));
        assertThat(later.release()).isEqualTo(LockRelease.DONE);
        assertThat(direct.renew(other, Lock.LEASE)).isEqualTo(HolderAnswer.DONE);
        assertThat(direct.end(other, LockEnd.released())).isEqualTo(HolderAnswer.DONE);
    }

    @Test
    void aConnectionThatIsResetBetweenAcquiringAndReleasingChangesNothing() {
        HeldLock held = Lock.held(locks.tryAcquire(lock.key(), LONG));
        line.reset();
        LockRelease release = held.release();
        assertThat(release).isIn(LockRelease.DONE, LockRelease.UNKNOWN);
        becomesFree(lock);
        assertThat(events).doesNotContain(LockEvent.Kind.LOST);
    }

    @Test
    void aRestartThatForgetsGrantsTwiceAndTheFenceStopsTheFirstHoldersWrite() throws SQLException {
        try (TestDatabase database = Databases.H2.fresh();
                Connection data = database.connect()) {
            data.createStatement().execute("CREATE TABLE seat (id INT PRIMARY KEY, owner VARCHAR(9), fence BIGINT)");
            data.createStatement().execute("INSERT INTO seat VALUES (1, 'nobody', 0)");
            HeldLock first = Lock.held(locks.tryAcquire(lock.key(), LONG));
            server.kill();
            server.start();
            LeasedLocks others = handles.locks(server.uri());
            HeldLock second = Lock.held(others.tryAcquire(lock.key(), LONG));
            assertThat(first.isHeld()).as("it cannot know").isTrue();
            assertThat(second.fence()).isGreaterThan(first.fence());
            assertThat(write(data, "second", second.fence())).isEqualTo(1);
            assertThat(write(data, "first", first.fence())).as("refused").isZero();
            answersAgain();
            assertThat(first.renew()).isFalse();
            assertThat(first.release()).isEqualTo(LockRelease.LOST);
            assertThat(second.release()).isEqualTo(LockRelease.DONE);
        }
    }

    private static int write(Connection data, String owner, long fence) throws SQLException {
        try (PreparedStatement update =
                data.prepareStatement("UPDATE seat SET owner = ?, fence = ? WHERE id = 1 AND fence <= ?")) {
            update.setString(1, owner);
            update.setLong(2, fence);
            update.setLong(3, fence);
            return update.executeUpdate();
        }
    }
}
