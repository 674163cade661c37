package io.oncegate.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.FreePorts;
import io.oncegate.testsupport.RedisServers;
import io.oncegate.testsupport.TestDatabase;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Locks between two JVMs, one of which is stopped with SIGSTOP for longer than its lease, or works for longer than it. G3. */
class FrozenHolderIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int TICK_MILLIS = 500;

    /** Where the locks are, and the data that they guard. */
    enum Stores {
        REDIS(LockPlace.Kept.REDIS, Databases.POSTGRESQL),
        POSTGRESQL(LockPlace.Kept.JDBC, Databases.POSTGRESQL),
        MARIADB(LockPlace.Kept.JDBC, Databases.MARIADB),
        ZOOKEEPER(LockPlace.Kept.ZOOKEEPER, Databases.POSTGRESQL);

        final LockPlace.Kept kept;
        final Databases data;

        Stores(LockPlace.Kept kept, Databases data) {
            this.kept = kept;
            this.data = data;
        }
    }

    private static final Map<Databases, TestDatabase> DATABASES = new EnumMap<>(Databases.class);
    private static TestingServer zooKeeper;

    @BeforeAll
    static void open() throws Exception {
        zooKeeper =
                new TestingServer(new InstanceSpec(null, FreePorts.next(), -1, -1, true, -1, TICK_MILLIS, 100), true);
        for (Databases kind : new Databases[] {Databases.POSTGRESQL, Databases.MARIADB}) {
            TestDatabase database = kind.fresh();
            DATABASES.put(kind, database);
            LockSide.create(new DriverSource(database.url(), database.user(), database.password()));
        }
    }

    @AfterAll
    static void close() throws Exception {
        DATABASES.values().forEach(TestDatabase::close);
        zooKeeper.close();
    }

    private static LockPlace place(Stores stores) {
        TestDatabase data = DATABASES.get(stores.data);
        String address = switch (stores.kept) {
            case REDIS -> RedisServers.standalone().uri().toURI().toString();
            case JDBC -> "";
            case ZOOKEEPER -> zooKeeper.getConnectString();
        };
        return new LockPlace(stores.kept, address, data.url(), data.user(), data.password());
    }

    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    @DisplayName("G3: a holder that was frozen past its lease is told so, and its guarded write is refused")
    void aThawedHoldersWriteIsRefused(Stores stores) throws Exception {
        LockPlace place = place(stores);
        Duration lease = Duration.ofSeconds(2);
        String name = "frozen-" + UUID.randomUUID();
        try (VictimProcess first = VictimProcess.startLock(place, lease, LockVictim.Work.WRITES, name);
                LockSide side = new LockSide(place, Duration.ofSeconds(10))) {
            long oldFence = Long.parseLong(first.await(LockVictim.HOLDING));
            first.freeze();
            HeldLock second = side.locks()
                    .acquire(LockSide.key(name), LockOptions.untilDone(), LIMIT)
                    .orElseThrow();
            assertThat(second.fence()).isGreaterThan(oldFence);
            side.raise(second);
            assertThat(side.writeGuarded(second, name + "-guarded", "second")).isTrue();
            side.writeUnguarded(name + "-unguarded", "second");

            first.proceed();
            first.thaw();
            assertThat(first.await("BELIEVES ")).isEqualTo("false");
            assertThat(first.await("GUARDED ")).isEqualTo("false");
            assertThat(first.await("TOLD ")).isEqualTo("true");
            assertThat(first.await("RELEASED ")).isEqualTo(LockRelease.LOST.name());
            assertThat(first.exitCode()).isZero();

            assertThat(side.writer(name + "-guarded")).isEqualTo("second");
            assertThat(side.writer(name + "-unguarded"))
                    .as("the same scene without the guard")
                    .isEqualTo("first");
            assertThat(second.isHeld()).isTrue();
            assertThat(second.release()).isEqualTo(LockRelease.DONE);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"REDIS", "POSTGRESQL", "MARIADB"})
    @Execution(ExecutionMode.CONCURRENT)
    @DisplayName("C11: a renewed lock keeps another JVM out for three leases, until it is released")
    void nobodyGetsInWhileTheOtherOneWorks(Stores stores) throws Exception {
        LockPlace place = place(stores);
        Duration lease = Duration.ofSeconds(4);
        OperationKey key = LockSide.key("working-" + UUID.randomUUID());
        try (VictimProcess first = VictimProcess.startLock(place, lease, LockVictim.Work.LOOKS, key.value());
                LockSide side = new LockSide(place, lease)) {
            long fence = Long.parseLong(first.await(LockVictim.HOLDING));
            long end = System.nanoTime() + lease.multipliedBy(3).toNanos();
            while (System.nanoTime() - end < 0) {
                assertThat(side.locks().tryAcquire(key, LockOptions.untilDone()))
                        .isInstanceOf(Acquisition.Refused.class);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            }
            first.proceed();
            assertThat(first.await("BELIEVES ")).isEqualTo("true");
            assertThat(first.await("RELEASED ")).isEqualTo(LockRelease.DONE.name());
            HeldLock second =
                    side.locks().tryAcquire(key, LockOptions.untilDone()).orElseThrow();
            assertThat(second.fence()).isGreaterThan(fence);
            assertThat(second.release()).isEqualTo(LockRelease.DONE);
        }
    }
}
