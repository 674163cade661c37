package io.oncegate.jdbc;

import static io.oncegate.jdbc.LockScene.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.testsupport.Await;
import java.sql.Connection;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Locks on a line that freezes, loses replies or is down, with a row that somebody keeps locked, and under interrupt; all at once, for they wait
 * most of their time. */
@Execution(ExecutionMode.CONCURRENT)
class JdbcLockFaultsIT {
    private static final Duration TIMEOUT = Duration.ofMillis(1_500);
    private static final long BOUND = Duration.ofSeconds(20).toNanos();

    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    private static void assertUnavailableInBoundedTime(String what, ThrowingCallable call) {
        long began = System.nanoTime();
        assertThatThrownBy(call)
                .as(what)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageStartingWith("store jdbc:oncegate_lock: ")
                .hasMessageNotContaining("order.create");
        assertThat(System.nanoTime() - began).isLessThan(BOUND);
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "MARIADB_BY_MYSQL_DRIVER"})
    void aFrozenOrBrokenLineEndsInATypedErrorInBoundedTime(TestSetup setup) {
        try (TestSetup.Open open = setup.open();
                Line line = new Line(open)) {
            JdbcSchema.locks(open.small).create();
            JdbcLockStore store = open.locks(line.pool).timeout(TIMEOUT).build();
            JdbcLockStore healthy = open.locks(open.small).build();
            LockScene scene = new LockScene(open);
            LockRequest request = scene.request(LONG);
            ClaimRef held = scene.granted(patient(open, line.pool), request);

            line.fault.freeze();
            assertUnavailableInBoundedTime("renew", () -> store.renew(held, LONG));
            line.fault.unfreeze();
            line.fault.reset();
            assertThat(healthy.renew(held, LONG)).isEqualTo(HolderAnswer.DONE);
            scene.granted(patient(open, line.pool), request);

            line.fault.freeze();
            assertUnavailableInBoundedTime("end", () -> store.end(held, LockEnd.released()));
            line.fault.unfreeze();
            line.fault.reset();
            healthy.end(held, LockEnd.released());

            LockScene other = new LockScene(open);
            LockRequest asked = other.request(LONG);
            other.granted(patient(open, line.pool), new LockScene(open).request(LONG));
            line.fault.freeze();
            assertUnavailableInBoundedTime("acquire", () -> store.acquire(asked));
            line.fault.unfreeze();
            line.fault.reset();
            other.granted(healthy, asked);

            line.fault.down();
            assertUnavailableInBoundedTime("acquire", () -> store.acquire(asked));
            line.fault.up();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "MARIADB_BY_MYSQL_DRIVER", "MYSQL_DIALECT"})
    void whoseReplyWasLostFindsItsOwnWhenItAsksAgain(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.locks(open.small).create();
            JdbcLockStore healthy = open.locks(open.small).build();
            LockScene scene = new LockScene(open);
            LockRequest first = scene.request(LONG);
            LockRequest second = scene.request(LONG);
            losing(open, store -> store.acquire(first));
            Await.until("it has come through", Duration.ofSeconds(60), () -> open.lockRows(scene.id) == 1);
            LockAnswer.Held met = (LockAnswer.Held) healthy.acquire(second);
            ClaimRef held = scene.granted(healthy, first);
            assertThat(held.fence()).isEqualTo(met.fence());
            assertThat(scene.column("window_end")).isZero();

            losing(open, store -> store.pass(held, second));
            assertThat(healthy.pass(held, second)).isEqualTo(OptionalLong.of(scene.column("fence")));
            ClaimRef passed = new ClaimRef(scene.id, scene.column("fence"), second.attempt());

            losing(open, store -> store.end(passed, LockEnd.released()));
            assertThat(healthy.end(passed, LockEnd.released())).isEqualTo(HolderAnswer.DONE);
            assertThat(healthy.end(held, LockEnd.released())).isEqualTo(HolderAnswer.LOST);
        }
    }

    /** On the same connections, for what has to succeed on a slow machine too. */
    private static JdbcLockStore patient(TestSetup.Open open, DataSource pool) {
        return open.locks(pool).timeout(Duration.ofSeconds(20)).build();
    }

    private interface Lost {
        void ask(JdbcLockStore store);
    }

    private static void losing(TestSetup.Open open, Lost lost) {
        try (Line line = new Line(open)) {
            JdbcLockStore store = open.locks(line.pool).timeout(TIMEOUT).build();
            LockScene warm = new LockScene(open);
            warm.granted(patient(open, line.pool), warm.request(LONG));
            line.fault.loseReplies();
            assertUnavailableInBoundedTime("a lost reply", () -> lost.ask(store));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aRowThatSomebodyKeepsLockedEndsInATypedErrorAndOtherKeysDoNotWait(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.locks(open.small).create();
            // the driver's own limit, which MySQL's dialect depends on, is in whole seconds
            Duration timeout = setup.mysqlDialect() ? Duration.ofSeconds(2) : TIMEOUT;
            DataSource pool = open.pool(2);
            JdbcLockStore store = open.locks(pool).timeout(timeout).build();
            JdbcLockStore patient = patient(open, pool);
            LockScene scene = new LockScene(open);
            LockScene free = new LockScene(open);
            ClaimRef held = scene.granted(patient, scene.request(LONG));
            try (Connection locker = scene.lockedRow()) {
                assertUnavailableInBoundedTime("acquire", () -> store.acquire(scene.request(LONG)));
                assertUnavailableInBoundedTime("end", () -> store.end(held, LockEnd.released()));
                free.granted(patient, free.request(LONG));
                locker.rollback();
            }
            assertThat(patient.end(held, LockEnd.released())).isEqualTo(HolderAnswer.DONE);

            Thread.currentThread().interrupt();
            assertUnavailableInBoundedTime("interrupted", () -> store.acquire(scene.request(LONG)));
            assertThat(Thread.interrupted()).isTrue();
            assertThat(scene.column("lease_end")).isZero();
        }
    }
}
