package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockEvent;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import io.oncegate.testsupport.TcpFault;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Cases from practice, on locks in Redis as two processes have them. */
class RedisLockCasesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final LockOptions UNTIL_DONE = LockOptions.untilDone();

    private final RedisServer server = RedisServers.standalone();

    @AutoClose
    private final Handles handles = new Handles();

    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private RedisCommands<byte[], byte[]> redis;
    private RedisLockStore store;
    private LeasedLocks locks;
    private LeasedLocks twin;

    @BeforeEach
    void connect() {
        redis = handles.client(server.uri()).connect(ByteArrayCodec.INSTANCE).sync();
        store = handles.lockStore(server.uri());
        locks = handles.locks(store, events::add);
        twin = handles.locks(server.uri());
    }

    private static LockOptions fixed(int millis) {
        return UNTIL_DONE.lease(Duration.ofMillis(millis)).notRenewed();
    }

    private HeldLock whenFree(LeasedLocks by, Lock lock) throws InterruptedException {
        return Lock.held(by.acquire(lock.key(), UNTIL_DONE, PATIENCE));
    }

    @Test
    @DisplayName("C06: a late release removes nobody else's lock")
    void aLateReleaseRemovesNobodyElsesLock() throws Exception {
        Lock lock = Lock.fresh();
        HeldLock a = Lock.held(locks.tryAcquire(lock.key(), fixed(300)));
        HeldLock b = whenFree(twin, lock);
        byte[] value = redis.get(lock.name());
        assertThat(a.release()).isEqualTo(LockRelease.LOST);
        assertThat(redis.get(lock.name())).isEqualTo(value);
        LeasedLocks third = handles.locks(server.uri());
        assertThat(third.tryAcquire(lock.key(), UNTIL_DONE)).isInstanceOf(Acquisition.Refused.class);
        assertThat(b.release()).isEqualTo(LockRelease.DONE);
        HeldLock c = Lock.held(third.tryAcquire(lock.key(), UNTIL_DONE));
        assertThat(List.of(a.fence(), b.fence(), c.fence())).isSorted().doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("C06: the owner is random for each acquisition, also of one thread")
    void theOwnerIsRandomForEachAcquisition() {
        Lock lock = Lock.fresh();
        byte[][] owners = new byte[2][];
        for (int i = 0; i < 2; i++) {
            HeldLock held = Lock.held(locks.tryAcquire(lock.key(), UNTIL_DONE));
            assertThat(locks.tryAcquire(lock.key(), UNTIL_DONE)).isInstanceOf(Acquisition.Refused.class);
            owners[i] = Arrays.copyOfRange(redis.get(lock.name()), 26, 42);
            held.release();
        }
        assertThat(owners[0]).isNotEqualTo(owners[1]);
    }

    @Test
    @DisplayName("C11: work that is longer than the lease keeps its lock by renewal")
    void longWorkKeepsItsLockByRenewal() {
        Lock lock = Lock.fresh();
        HeldLock held = Lock.held(locks.tryAcquire(lock.key(), UNTIL_DONE.lease(Duration.ofSeconds(4))));
        long leaseEnd = leaseEnd(lock);
        // by Redis's clock, over the whole of the first lease and beyond
        List<Acquisition<HeldLock>> answers = new ArrayList<>();
        Await.until("the first lease is over", PATIENCE, () -> {
            answers.add(twin.tryAcquire(lock.key(), UNTIL_DONE));
            return now() > leaseEnd + 100_000;
        });
        assertThat(answers).isNotEmpty().allMatch(Acquisition.Refused.class::isInstance);
        assertThat(twin.tryAcquire(lock.key(), UNTIL_DONE)).isInstanceOf(Acquisition.Refused.class);
        assertThat(held.isHeld()).isTrue();
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        assertThat(kinds()).doesNotContain(LockEvent.Kind.LOST);
    }

    @Test
    @DisplayName("C11: without renewal, work that is longer than the lease is told that it has lost")
    void longWorkWithoutRenewalIsToldThatItHasLost() throws Exception {
        Lock lock = Lock.fresh();
        HeldLock held = Lock.held(locks.tryAcquire(lock.key(), fixed(500)));
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        held.onLost(() -> told.complete(true));
        HeldLock other = whenFree(twin, lock);
        assertThat(other.fence()).isGreaterThan(held.fence());
        Await.until("told", PATIENCE, told::isDone);
        assertThat(held.isHeld()).isFalse();
        assertThat(held.renew()).isFalse();
        assertThat(held.complete(null)).isEqualTo(LockRelease.LOST);
        assertThat(kinds().stream().filter(kind -> kind == LockEvent.Kind.LOST)).hasSize(1);
        assertThat(other.release()).isEqualTo(LockRelease.DONE);
    }

    @Test
    @DisplayName("C12a: another thread may release")
    void anotherThreadMayRelease() throws Exception {
        Lock lock = Lock.fresh();
        HeldLock held = Lock.held(locks.tryAcquire(lock.key(), UNTIL_DONE));
        CompletableFuture<LockRelease> release = new CompletableFuture<>();
        Thread other = new Thread(() -> release.complete(held.release()));
        other.start();
        other.join();
        assertThat(release).isCompletedWithValue(LockRelease.DONE);
        assertThat(lock.isFreeAt(store)).isTrue();
    }

    @Test
    @DisplayName("C14: a lost lock leaves nothing locked in the process")
    void aLostLockLeavesNothingLockedInTheProcess() throws Exception {
        Lock lock = Lock.fresh();
        HeldLock first = Lock.held(locks.tryAcquire(lock.key(), fixed(200)));
        Await.until("over", PATIENCE, () -> now() > leaseEnd(lock));
        assertThat(first.release()).isEqualTo(LockRelease.LOST);
        CompletableFuture<Acquisition<HeldLock>> second = new CompletableFuture<>();
        Thread other = new Thread(() -> {
            try {
                second.complete(locks.acquire(lock.key(), fixed(200), PATIENCE));
            } catch (InterruptedException e) {
                second.completeExceptionally(e);
            }
        });
        other.start();
        other.join();
        Lock.held(second.join());
        // also to those who were in line while it was lost, and although nobody releases it
        Lock.held(locks.acquire(lock.key(), UNTIL_DONE, PATIENCE)).release();
    }

    @Test
    @DisplayName("C18: Redis's clock alone decides, whatever the node's says")
    void redissClockAloneDecides() {
        try (RedisServer own = RedisServers.own()) {
            RedisCommands<byte[], byte[]> clock =
                    handles.client(own.uri()).connect(ByteArrayCodec.INSTANCE).sync();
            RedisBackend backend = handles.backend(own.uri(), Handles.OPTIONS);
            RedisLockStore moved = new RedisLockStore(backend, LockHistory.scripts(backend.options(), text -> text));
            for (int minutes : new int[] {-3, 3}) {
                long time = (System.currentTimeMillis() + minutes * 60_000L) * 1_000;
                set(clock, time);
                Lock lock = Lock.fresh().lease(Duration.ofSeconds(5));
                ClaimRef held = lock.grantedAt(moved);
                assertThat(held.fence()).isEqualTo(time);
                set(clock, time + 4_999_999);
                assertThat(lock.askedAt(moved))
                        .isEqualTo(new LockAnswer.Held(Duration.ofNanos(1_000), held.fence(), false));
                assertThat(moved.renew(held, Duration.ofSeconds(1))).isEqualTo(HolderAnswer.DONE);
                set(clock, time + 5_999_999);
                assertThat(moved.renew(held, Duration.ofSeconds(1))).isEqualTo(HolderAnswer.LOST);
                assertThat(lock.isFreeAt(moved)).isTrue();
            }
        }
    }

    @Test
    @DisplayName("C18: a lease begins when Redis grants it, not when it was asked for")
    void aLeaseBeginsWhenItIsGranted() throws Exception {
        Lock lock = Lock.fresh().lease(Duration.ofMillis(300));
        try (TcpFault line = TcpFault.to(server)) {
            RedisLockStore slow = handles.lockStore(io.lettuce.core.RedisURI.create(line.host(), line.port()));
            slow.renew(Lock.fresh().grantedAt(slow), Lock.LEASE);
            line.freeze();
            CompletableFuture<LockAnswer> answer = CompletableFuture.supplyAsync(() -> lock.askedAt(slow));
            long asked = now();
            Await.until("longer than its lease under way", PATIENCE, () -> now() > asked + 600_000);
            assertThat(answer).isNotDone();
            line.unfreeze();
            long fence = ((LockAnswer.Granted) answer.get()).fence();
            assertThat(fence).isGreaterThan(asked + 600_000);
            assertThat(leaseEnd(lock)).isEqualTo(fence + 300_000);
        }
    }

    @Test
    void aLockOfAnUnknownFormatIsATypedErrorAndUntouched() {
        Lock lock = Lock.fresh();
        ClaimRef held = lock.grantedAt(store);
        byte[] newer = redis.get(lock.name());
        newer[0] = 2;
        redis.psetex(lock.name(), 60_000, newer);
        for (Runnable call : List.<Runnable>of(
                () -> lock.askedAt(store),
                () -> store.renew(held, Lock.LEASE),
                () -> store.end(held, LockEnd.released()),
                () -> store.pass(held, lock.request()))) {
            assertThatThrownBy(call::run)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("format that this version cannot read");
        }
        assertThat(redis.get(lock.name())).isEqualTo(newer);
    }

    @Test
    void aResultThatIsGoneOrOfAnotherRunIsNotGiven() {
        Lock lock = Lock.fresh().window(Duration.ofMinutes(1));
        byte[] beside = LockFormat.resultKey(lock.name());
        ClaimRef held = lock.grantedAt(store);
        store.end(held, new LockEnd(true, Payload.of(new byte[] {7}), Duration.ofMinutes(1)));
        LockRequest taking =
                new LockRequest(lock.id(), Lock.OPERATION, lock.request().attempt(), Lock.LEASE, null, false, true, 0);
        assertThat(store.acquire(taking)).isEqualTo(new LockAnswer.Result(Payload.of(new byte[] {7})));
        byte[] kept = redis.get(beside);
        redis.psetex(beside, 60_000, ByteBuffer.wrap(kept.clone()).putLong(0, 1).array());
        assertThat(store.acquire(taking)).isInstanceOf(LockAnswer.Held.class);
        redis.del(beside);
        assertThat(store.acquire(taking)).isInstanceOf(LockAnswer.Held.class);
    }

    private List<LockEvent.Kind> kinds() {
        return events.stream().map(LockEvent::kind).toList();
    }

    private long leaseEnd(Lock lock) {
        return ByteBuffer.wrap(redis.get(lock.name())).getLong(2);
    }

    /** Redis's time in microseconds. */
    private long now() {
        List<byte[]> time = redis.time();
        return number(time.get(0)) * 1_000_000 + number(time.get(1));
    }

    private static long number(byte[] digits) {
        return Long.parseLong(new String(digits, StandardCharsets.US_ASCII));
    }

    private static void set(RedisCommands<byte[], byte[]> redis, long micros) {
        redis.hset(
                bytes("clock"),
                Map.of(
                        bytes("s"), bytes(Long.toString(micros / 1_000_000)),
                        bytes("u"), bytes(Long.toString(micros % 1_000_000))));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
