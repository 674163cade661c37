package io.oncegate.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lettuce.core.RedisClient;
import io.oncegate.core.Oncegate;
import io.oncegate.core.error.InProgressException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.lock.Locks;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisLockStore;
import io.oncegate.redis.RedisOptions;
import io.oncegate.spring.annotation.CallerScope;
import io.oncegate.spring.annotation.EnableIdempotent;
import io.oncegate.spring.annotation.Oncegates;
import io.oncegate.spring.tx.SpringTransactionSource;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.RedisServers;
import io.oncegate.testsupport.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Locks on Redis around transactions in a database: a hold ends when what it guards is committed, and not before. */
@ParameterizedClass
@EnumSource(names = {"POSTGRESQL", "MARIADB"})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LockedTransactionIT {
    @Configuration(proxyBeanMethods = false)
    @EnableLocks
    @EnableIdempotent
    @EnableTransactionManagement
    static class Setup {
        @Bean
        Locks locks(LockStore store) {
            return LeasedLocks.of(store);
        }

        @Bean
        Oncegates oncegates(JdbcTransactionManager manager, DataSource dataSource) {
            return Oncegates.sameTransaction(Oncegate.sameTransaction(
                            JdbcTransactionalRecordStore.builder(new SpringTransactionSource(manager, dataSource))
                                    .build())
                    .build());
        }

        @Bean
        CallerScope callerScope() {
            return Scope::global;
        }

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        Counters counters(DataSource dataSource) {
            return new Counters(dataSource);
        }
    }

    @Parameter
    Databases kind;

    private TestDatabase database;
    private RedisClient client;
    private RedisBackend redis;
    private AnnotationConfigApplicationContext context;
    private ExecutorService pool;
    private Counters counters;
    private Locks locks;
    private TransactionTemplate transaction;

    @BeforeParameterizedClassInvocation
    void start() throws Exception {
        pool = Executors.newCachedThreadPool();
        database = kind.fresh();
        DataSource dataSource = database.pool(8, true);
        JdbcSchema.of(dataSource).create();
        JdbcClient.create(dataSource)
                .sql("CREATE TABLE counter (id VARCHAR(60) PRIMARY KEY, n INT NOT NULL)")
                .update();
        client = RedisClient.create();
        redis = RedisBackend.connecting(
                client, RedisServers.standalone().uri(), RedisOptions.defaults().withTimeout(Duration.ofSeconds(60)));
        context = new AnnotationConfigApplicationContext();
        context.registerBean(DataSource.class, () -> dataSource, bean -> bean.setDestroyMethodName(""));
        context.registerBean(LockStore.class, () -> new RedisLockStore(redis));
        context.register(Setup.class);
        context.refresh();
        counters = context.getBean(Counters.class);
        locks = context.getBean(Locks.class);
        transaction = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
    }

    @AfterParameterizedClassInvocation
    void stop() {
        pool.shutdownNow();
        context.close();
        redis.close();
        client.shutdown(0, 0, TimeUnit.SECONDS);
        database.close();
    }

    private String counter() {
        String id = UUID.randomUUID().toString();
        counters.create(id);
        return id;
    }

    private void elsewhere(Runnable task) {
        try {
            CompletableFuture.runAsync(task, pool).get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw (RuntimeException) e.getCause();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void times(int count, Runnable task) throws Exception {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(CompletableFuture.runAsync(task, pool));
        }
        for (CompletableFuture<Void> each : all) {
            each.get(2, TimeUnit.MINUTES);
        }
    }

    private TransactionTemplate newTransaction() {
        TransactionTemplate inner = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        inner.setTimeout(60); // seconds; else one that does run would wait for the row of the outer one for ever
        return inner;
    }

    @Test
    @DisplayName("C07: a method that is locked and transactional loses no update: the lock ends after the commit")
    void theLockIsOutsideOfTheTransaction() throws Exception {
        String id = counter();
        times(50, () -> counters.add(id));
        assertThat(counters.read(id)).isEqualTo(50);
    }

    @Test
    @DisplayName(
            "C07: a locked method that joins its caller's transaction loses no update: the lock ends after that commit")
    void theLockLastsUntilTheCallersCommit() throws Exception {
        String id = counter();
        times(
                50,
                () -> transaction.executeWithoutResult(status -> {
                    counters.add(id);
                    pause();
                }));
        assertThat(counters.read(id)).isEqualTo(50);
    }

    /** The caller goes on for a while after the locked call: the case's 200 ms, made shorter. */
    private static void pause() {
        try {
            Thread.sleep(5);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void othersAreRefusedUntilTheCallersTransactionHasEnded() {
        String id = counter();
        transaction.executeWithoutResult(status -> {
            counters.tryAdd(id);
            assertThatThrownBy(() -> elsewhere(() -> counters.tryAdd(id))).isInstanceOf(InProgressException.class);
            counters.tryAdd(id);
        });
        elsewhere(() -> counters.tryAdd(id));
        assertThat(counters.read(id)).isEqualTo(3);
    }

    @Test
    void inSameTransactionModeTheLockLastsUntilRecordAndEffectAreCommitted() {
        String id = counter();
        int first = counters.addIdempotent(
                "request" + id,
                id,
                () -> assertThatThrownBy(() -> elsewhere(() -> counters.tryAdd(id)))
                        .isInstanceOf(InProgressException.class));
        assertThat(counters.addIdempotent("request" + id, id, () -> {}))
                .isEqualTo(first)
                .isEqualTo(1);
        OperationKey key = OperationKey.of("counter.try", Scope.global(), id);
        HeldLock held = locks.tryAcquire(key, LockOptions.untilDone()).orElseThrow();
        assertThatThrownBy(() -> counters.addIdempotent("later" + id, id, () -> {}))
                .isInstanceOf(InProgressException.class);
        held.close();
        assertThat(counters.addIdempotent("later" + id, id, () -> {})).isEqualTo(2);
    }

    @Test
    void aTransactionOfItsOwnEndsWithTheMethod() {
        String id = counter();
        transaction.executeWithoutResult(status -> {
            counters.addInOwn(id);
            elsewhere(() -> counters.addInOwn(id));
            status.setRollbackOnly();
        });
        assertThat(counters.read(id)).isEqualTo(2);
    }

    @Test
    void aNewTransactionInsideDoesNotRunUnderALockWhoseChangesItDoesNotSee() {
        String id = counter();
        transaction.executeWithoutResult(status -> {
            counters.tryAdd(id);
            assertThatThrownBy(() -> newTransaction().executeWithoutResult(inner -> counters.tryAdd(id)))
                    .isInstanceOf(UnsafeHoldException.class)
                    .hasMessageContaining("outer transaction");
            newTransaction().executeWithoutResult(inner -> counters.tryAdd(counter()));
            counters.tryAdd(id);
        });
        assertThat(counters.read(id)).isEqualTo(2);
        counters.tryAdd(id);
    }

    @Test
    void aRollbackClosesTheWindowAndACommitLeavesItOpen() {
        String id = counter();
        assertThatThrownBy(() -> counters.addOnce(id, true)).isInstanceOf(IllegalStateException.class);
        transaction.executeWithoutResult(status -> {
            counters.addOnce(id, false);
            status.setRollbackOnly();
        });
        transaction.executeWithoutResult(status -> {
            Object before = status.createSavepoint();
            counters.addOnce(id, false);
            status.rollbackToSavepoint(before);
        });
        transaction.executeWithoutResult(status -> {
            counters.addOnce(id, false);
            assertThatThrownBy(() -> counters.addOnce(id, false))
                    .as("a second intent within the window, in the same transaction")
                    .isInstanceOf(InProgressException.class);
            Object after = status.createSavepoint();
            status.rollbackToSavepoint(after);
        });
        assertThatThrownBy(() -> counters.addOnce(id, false)).isInstanceOf(InProgressException.class);
        assertThat(counters.read(id)).isEqualTo(1);
    }

    @Test
    void aSecondIntentInTheSameTransactionIsGivenTheResult() {
        String id = counter();
        transaction.executeWithoutResult(status -> assertThat(counters.addOnceWithResult(id))
                .isEqualTo(counters.addOnceWithResult(id))
                .isEqualTo(1));
        assertThat(counters.addOnceWithResult(id)).isEqualTo(1);
    }

    @Test
    void aStageIsHeldUntilBothItAndTheTransactionHaveEnded() throws Exception {
        String id = counter();
        CompletableFuture<String> late = new CompletableFuture<>();
        CompletableFuture<String> answer = transaction.execute(status -> counters.stage(id, late));
        assertThat(counters.stage(id, late)).isCompletedExceptionally();
        late.complete("done");
        assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo("done");
        CompletableFuture<String> done = CompletableFuture.completedFuture("x");
        transaction.executeWithoutResult(status -> {
            assertThat(counters.stage(id, done)).succeedsWithin(Duration.ofSeconds(60));
            elsewhere(() -> assertThat(counters.stage(id, done)).isCompletedExceptionally());
        });
        assertThat(counters.stage(id, done))
                .succeedsWithin(Duration.ofSeconds(60))
                .isEqualTo("x");
    }

    @Test
    void aTransactionThatGivesNoNoticeOfItsEndIsRefused() {
        String id = counter();
        JdbcTransactionManager silent = new JdbcTransactionManager(context.getBean(DataSource.class));
        silent.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
        new TransactionTemplate(silent)
                .executeWithoutResult(status -> assertThatThrownBy(() -> counters.tryAdd(id))
                        .isInstanceOf(UnsafeHoldException.class)
                        .hasMessageContaining("synchronization"));
        assertThat(counters.read(id)).isZero();
        counters.tryAdd(id);
    }

    @Test
    @DisplayName(
            "C11: a lock that is lost before the commit rolls the caller's transaction back, where that is asked for")
    void aLostLockRollsBack() {
        String id = counter();
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    HeldLock lock = counters.addOrFail(id);
                    Await.until("its lease is over", Duration.ofSeconds(60), () -> !lock.isHeld());
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(counters.read(id)).isZero();
    }

    @Test
    void aReadFromBeforeTheLockIsWarnedOfWhereItCanBeKnown() {
        Logger logger = (Logger) LoggerFactory.getLogger(TransactionHold.class);
        ListAppender<ILoggingEvent> heard = new ListAppender<>();
        heard.start();
        logger.addAppender(heard);
        try {
            TransactionTemplate repeatable = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
            repeatable.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
            for (int i = 0; i < 2; i++) {
                repeatable.executeWithoutResult(status -> counters.nested(counter(), () -> 1));
            }
            transaction.executeWithoutResult(status -> counters.addOnceWithResult(counter()));
        } finally {
            logger.detachAppender(heard);
        }
        assertThat(heard.list).hasSize(1);
        assertThat(heard.list.get(0).getFormattedMessage()).contains("REPEATABLE READ", "read for update");
    }

    @Test
    void anInnerMethodOfTheSameLockJoinsAndLeavesItToTheOuterOne() {
        String id = counter();
        counters.nested(
                id,
                () -> counters.nested(id, () -> {
                    assertThatThrownBy(() -> elsewhere(() -> counters.nested(id, () -> 0)))
                            .isInstanceOf(InProgressException.class);
                    return 1;
                }));
        assertThat(counters.read(id)).isEqualTo(2);
        OperationKey key = OperationKey.of("counter.nested", Scope.global(), id);
        locks.tryAcquire(key, LockOptions.untilDone()).orElseThrow().release();
    }
}
