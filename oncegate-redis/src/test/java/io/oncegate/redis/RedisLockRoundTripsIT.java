package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Counts what reaches the server: one command a call, and what each script does inside. */
class RedisLockRoundTripsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String READ = "evalsha=1 get=1 time=1";
    private static final String WRITE = "evalsha=1 get=1 set=1 time=1";
    private static final String WRITE_IN_PLACE = "evalsha=1 get=1 setrange=1 time=1";

    @AutoClose
    private final RedisServer server = RedisServers.own();

    @AutoClose
    private final Handles handles = new Handles();

    private RedisLockStore store;

    @BeforeEach
    void warmUp() {
        store = handles.lockStore(server.uri());
        Lock lock = Lock.fresh();
        ClaimRef first = lock.grantedAt(store);
        store.renew(first, Lock.LEASE);
        LockRequest next = lock.request();
        store.end(new ClaimRef(lock.id(), store.pass(first, next).orElseThrow(), next.attempt()), LockEnd.released());
    }

    @Test
    void acquiringAndEndingAreOneCommandEach() throws IOException {
        for (Lock lock : new Lock[] {Lock.fresh(), Lock.fresh().window(Duration.ofSeconds(5))}) {
            for (int again = 0; again < 2; again++) {
                LockRequest request = lock.request();
                assertThat(commandsOf(() -> store.acquire(request))).isEqualTo(WRITE);
                ClaimRef held = lock.ref(request, store.acquire(request));
                assertThat(commandsOf(() -> store.renew(held, Lock.LEASE))).isEqualTo(WRITE);
                assertThat(commandsOf(() -> store.end(held, LockEnd.released())))
                        .isEqualTo(WRITE_IN_PLACE);
            }
        }
    }

    @Test
    void passingOnIsOneCommand() throws IOException {
        Lock lock = Lock.fresh();
        ClaimRef held = lock.grantedAt(store);
        LockRequest next = lock.request();
        assertThat(commandsOf(() -> assertThat(store.pass(held, next)).isPresent()))
                .isEqualTo(WRITE);
    }

    @Test
    void whatIsRefusedIsOneCommandAndWritesNothing() throws IOException {
        Lock lock = Lock.fresh();
        ClaimRef held = lock.grantedAt(store);
        ClaimRef stale = new ClaimRef(held.id(), held.fence(), AttemptId.random());
        assertThat(commandsOf(() -> lock.askedAt(store))).isEqualTo(READ);
        assertThat(commandsOf(() -> store.renew(stale, Lock.LEASE))).isEqualTo("evalsha=1 get=1");
        assertThat(commandsOf(() -> store.end(stale, LockEnd.released()))).isEqualTo("evalsha=1 get=1");
        assertThat(commandsOf(() -> store.pass(stale, lock.request()))).isEqualTo(READ);
    }

    @Test
    void nothingIsPublishedUnlessSomebodyWaits() throws IOException {
        Lock lock = Lock.fresh();
        ClaimRef held = lock.grantedAt(store);
        LockRequest waiting = lock.request().waiting();
        assertThat(commandsOf(() -> assertThat(store.acquire(waiting)).isInstanceOf(LockAnswer.Held.class)))
                .as("leaves its mark")
                .isEqualTo(WRITE_IN_PLACE);
        assertThat(commandsOf(() -> store.acquire(waiting)))
                .as("asks again, marked")
                .isEqualTo(READ);
        store.renew(held, Lock.LEASE);
        LockRequest next = lock.request();
        ClaimRef second = new ClaimRef(lock.id(), store.pass(held, next).orElseThrow(), next.attempt());
        assertThat(commandsOf(
                        () -> assertThat(store.end(second, LockEnd.released())).isEqualTo(HolderAnswer.DONE)))
                .as("the mark has outlasted a renewal and a passing")
                .isEqualTo("evalsha=1 get=1 publish=1 setrange=1 time=1");
        ClaimRef third = lock.grantedAt(store);
        assertThat(commandsOf(() -> store.end(third, LockEnd.released())))
                .as("signalled once")
                .isEqualTo(WRITE_IN_PLACE);
    }

    @Test
    void aLockIsAcquiredAndReleasedInOneCommandEach() throws IOException {
        LeasedLocks locks = handles.locks(store);
        Lock lock = Lock.fresh();
        HeldLock[] held = new HeldLock[1];
        assertThat(commandsOf(() -> held[0] = Lock.held(locks.tryAcquire(lock.key(), LockOptions.untilDone()))))
                .isEqualTo(WRITE);
        assertThat(commandsOf(() -> held[0].release())).isEqualTo(WRITE_IN_PLACE);
        assertThat(commandsOf(() -> Lock.held(locks.acquire(lock.key(), LockOptions.untilDone(), PATIENCE))
                        .complete(null)))
                .isEqualTo("evalsha=2 get=2 set=1 setrange=1 time=2");
    }

    @Test
    void theNextInLineOfOneProcessGetsItInOneCommand() throws Exception {
        LeasedLocks locks = handles.locks(store);
        Lock lock = Lock.fresh();
        HeldLock first = Lock.held(locks.tryAcquire(lock.key(), LockOptions.untilDone()));
        CompletableFuture<HeldLock> second = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            try {
                second.complete(Lock.held(locks.acquire(lock.key(), LockOptions.untilDone(), PATIENCE)));
            } catch (InterruptedException | RuntimeException | AssertionError e) {
                second.completeExceptionally(e);
            }
        });
        waiter.start();
        Await.until("in line", PATIENCE, () -> waiter.getState() == Thread.State.TIMED_WAITING);
        String commands = commandsOf(() -> {
            assertThat(first.release()).isEqualTo(LockRelease.DONE);
            second.orTimeout(30, TimeUnit.SECONDS).join();
        });
        assertThat(commands).isEqualTo(WRITE);
        assertThat(second.join().fence()).isGreaterThan(first.fence());
        assertThat(second.join().release()).isEqualTo(LockRelease.DONE);
        waiter.join();
    }

    private interface Call {
        void run() throws Exception;
    }

    private String commandsOf(Call call) throws IOException {
        return ServerCommands.of(server, () -> {
            try {
                call.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
