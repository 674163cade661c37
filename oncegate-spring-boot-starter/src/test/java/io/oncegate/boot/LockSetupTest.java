package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.oncegate.core.error.StaleFenceException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockEvent;
import io.oncegate.core.lock.LockListener;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.lock.Locks;
import io.oncegate.core.memory.MemoryLockStore;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.jdbc.FenceTable;
import io.oncegate.jdbc.SchemaException;
import io.oncegate.spring.tx.SpringFences;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Which locks an application gets. Nothing here needs a server: Redis is not asked before the first lock. */
class LockSetupTest {
    private static final OperationKey KEY = OperationKey.of("seat.change", Scope.of("ann"), "row 1");

    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OncegateAutoConfiguration.class, LockAutoConfiguration.class));

    /** Its records are kept where no locks can be. */
    private final ApplicationContextRunner storeless = bare.withBean(RecordStore.class, MemoryRecordStore::new);

    private final ApplicationContextRunner withDatabase = bare.withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
            .withPropertyValues("spring.datasource.generate-unique-name=true");

    /** Needs locks. */
    record Box(Locks locks) {}

    @Test
    void startsWithoutAStoreWhereNothingNeedsLocks() {
        storeless.run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void refusesToStartWithoutAStoreWhereSomethingNeedsLocks() {
        storeless
                .withBean(Box.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(MissingStoreException.class)
                        .hasMessageContaining("no store for its locks")
                        .hasMessageContaining("oncegate.redis.uri")
                        .hasMessageContaining("oncegate.locks.store=memory"));
    }

    @Test
    void takesMemoryOnlyWhereItIsNamed() {
        for (String property : List.of("oncegate.locks.store=memory", "oncegate.store=memory")) {
            storeless.withPropertyValues(property).run(context -> excludes(context.getBean(Locks.class)));
        }
    }

    @Test
    void isWhereTheRecordsAreAndElsewhereWhereThatIsSaid() {
        withDatabase
                .withPropertyValues("oncegate.jdbc.create-schema=true")
                .run(context -> assertThat(context.getBean(Locks.class).name()).isEqualTo("jdbc:oncegate_lock"));
        ApplicationContextRunner both = withDatabase.withPropertyValues(
                "oncegate.redis.uri=redis://127.0.0.1:1", "oncegate.jdbc.create-schema=true");
        both.run(context -> assertThat(context.getBean(Locks.class).name()).startsWith("redis"));
        both.withPropertyValues("oncegate.store=jdbc")
                .run(context -> assertThat(context.getBean(Locks.class).name()).startsWith("jdbc"));
        both.withPropertyValues("oncegate.locks.store=jdbc").run(context -> {
            excludes(context.getBean(Locks.class));
            assertThat(context.getBean(RecordStore.class).name()).startsWith("redis");
        });
    }

    @Test
    void refusesAStoreThatIsAskedForAndCannotBeHad() {
        for (String store : List.of("redis", "jdbc", "zookeeper")) {
            storeless
                    .withPropertyValues("oncegate.locks.store=" + store)
                    .withBean(Box.class)
                    .run(context -> assertThat(context)
                            .getFailure()
                            .rootCause()
                            .isInstanceOf(MissingStoreException.class)
                            .hasMessageContaining("oncegate.locks.store=" + store)
                            .hasMessageContaining("Add oncegate-" + store));
        }
    }

    @Test
    void needsNoTableBeforeSomethingNeedsLocks() {
        ApplicationContextRunner migrated = withDatabase.withPropertyValues(
                "oncegate.store=memory", "oncegate.same-transaction.enabled=false", "oncegate.locks.store=jdbc");
        migrated.run(context -> assertThat(context).hasNotFailed());
        migrated.withBean(Box.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(SchemaException.class)
                        .hasMessageContaining("oncegate_lock"));
    }

    @Test
    void aLockInTheDatabaseTakesASecondConnectionOnlyWhereThatIsAllowed() {
        ApplicationContextRunner jdbc = withDatabase.withPropertyValues("oncegate.jdbc.create-schema=true");
        jdbc.run(context -> transaction(context.getBean(PlatformTransactionManager.class), context.getBean(Locks.class))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("before the transaction begins"));
        jdbc.withPropertyValues("oncegate.locks.second-connection=true")
                .run(context -> transaction(
                                context.getBean(PlatformTransactionManager.class), context.getBean(Locks.class))
                        .isNull());
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> transaction(
            PlatformTransactionManager manager, Locks locks) {
        return assertThat(
                catchThrowable(() -> new TransactionTemplate(manager).executeWithoutResult(status -> excludes(locks))));
    }

    @Test
    void tellsAllListeners() {
        List<LockEvent.Kind> first = new CopyOnWriteArrayList<>();
        List<LockEvent.Kind> second = new CopyOnWriteArrayList<>();
        bare.withPropertyValues("oncegate.store=memory")
                .withBean("first", LockListener.class, () -> event -> first.add(event.kind()))
                .withBean("second", LockListener.class, () -> event -> second.add(event.kind()))
                .run(context -> excludes(context.getBean(Locks.class)));
        assertThat(first).containsExactly(LockEvent.Kind.ACQUIRED, LockEvent.Kind.REFUSED);
        assertThat(second).isEqualTo(first);
    }

    @Test
    void theApplicationsOwnBeansComeFirst() {
        Locks own = LeasedLocks.of(new MemoryLockStore());
        withDatabase
                .withPropertyValues("oncegate.jdbc.create-schema=true")
                .withBean(Locks.class, () -> own)
                .run(context -> assertThat(context.getBean(Locks.class)).isSameAs(own));
        MemoryLockStore store = new MemoryLockStore();
        storeless.withBean(LockStore.class, () -> store).run(context -> {
            HeldLock lock = acquired(context.getBean(Locks.class));
            assertThat(acquisition(LeasedLocks.of(store))).isFalse();
            assertThat(lock.release()).isEqualTo(LockRelease.DONE);
        });
    }

    @Test
    void endsItsLocksWithTheApplication() {
        Locks[] locks = new Locks[1];
        bare.withPropertyValues("oncegate.store=memory").run(context -> locks[0] = context.getBean(Locks.class));
        assertThatThrownBy(() -> acquired(locks[0]))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void givesTheTableOfFencesToThoseWhoAsk() {
        withDatabase.withPropertyValues("oncegate.jdbc.create-schema=true").run(context -> {
            SpringFences fences = context.getBean(SpringFences.class);
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(status -> fences.raise(KEY, 7));
            assertThatThrownBy(() -> fences.raiseFirst(KEY, 6)).isInstanceOf(StaleFenceException.class);
        });
        withDatabase
                .withPropertyValues("oncegate.store=memory", "oncegate.same-transaction.enabled=false")
                .run(context -> assertThatThrownBy(() -> context.getBean(FenceTable.class))
                        .rootCause()
                        .isInstanceOf(SchemaException.class)
                        .hasMessageContaining("oncegate_fence"));
    }

    @Test
    void givesSpringIntegrationARegistryUnlessThereIsOneOrItIsSwitchedOff() {
        ApplicationContextRunner memory = bare.withPropertyValues("oncegate.store=memory");
        memory.run(context -> {
            Lock lock = context.getBean(LockRegistry.class).obtain("order 7");
            assertThat(lock.tryLock()).isTrue();
            OperationKey same = OperationKey.of("integration.lock", Scope.global(), "text:order 7");
            assertThat(context.getBean(Locks.class).tryAcquire(same, LockOptions.untilDone()))
                    .isInstanceOf(Acquisition.Refused.class);
            lock.unlock();
        });
        LockRegistry<?> own = new DefaultLockRegistry();
        memory.withBean("own", LockRegistry.class, () -> own)
                .run(context -> assertThat(context.getBean(LockRegistry.class)).isSameAs(own));
        memory.withPropertyValues("oncegate.locks.registry.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(LockRegistry.class));
        // Nobody has asked for it, and so there is nothing to refuse.
        storeless.run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void refusesToForgetFencesTooSoon() {
        bare.withPropertyValues("oncegate.store=memory", "oncegate.locks.fence-retention=1h")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("oncegate.locks.fence-retention"));
    }

    @Test
    void locksNeedNoModuleThatAnApplicationLeavesOut() {
        bare.withClassLoader(new FilteredClassLoader(
                        "io.oncegate.redis",
                        "io.oncegate.jdbc",
                        "io.oncegate.zookeeper",
                        "org.apache.curator",
                        "org.springframework.integration",
                        "io.lettuce",
                        "org.springframework.data",
                        "org.springframework.jdbc",
                        "org.springframework.transaction",
                        "org.springframework.web.servlet",
                        "org.springframework.web.reactive",
                        "jakarta.servlet",
                        "reactor",
                        "org.springdoc"))
                .withPropertyValues("oncegate.store=memory")
                .run(context -> excludes(context.getBean(Locks.class)));
    }

    private static HeldLock acquired(Locks locks) {
        return locks.tryAcquire(KEY, LockOptions.untilDone()).orElseThrow();
    }

    private static boolean acquisition(Locks locks) {
        return locks.tryAcquire(KEY, LockOptions.untilDone()) instanceof Acquisition.Acquired<HeldLock>;
    }

    private static void excludes(Locks locks) {
        try (HeldLock held = acquired(locks)) {
            assertThat(held.isHeld()).isTrue();
            assertThat(acquisition(locks)).isFalse();
        }
    }
}
