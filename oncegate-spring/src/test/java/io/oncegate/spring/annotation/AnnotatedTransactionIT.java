package io.oncegate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.oncegate.core.OnceEvent;
import io.oncegate.core.Oncegate;
import io.oncegate.core.error.InProgressException;
import io.oncegate.core.error.MismatchException;
import io.oncegate.core.error.OutcomeUnknownException;
import io.oncegate.jackson.JacksonCodec;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import io.oncegate.redis.RedisRecordStore;
import io.oncegate.spring.tx.SpringTransactionSource;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.RedisServers;
import io.oncegate.testsupport.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Annotated methods with {@code @Transactional}: claimed mode over Redis, same-transaction mode in the database. */
@ParameterizedClass
@EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AnnotatedTransactionIT {
    static final class SoldOut extends RuntimeException {
        private static final long serialVersionUID = 1L;

        SoldOut(String message) {
            super(message);
        }
    }

    static class Payments {
        private final List<String> history = new CopyOnWriteArrayList<>();
        private final JdbcClient jdbc;

        Payments(DataSource dataSource) {
            this.jdbc = JdbcClient.create(dataSource);
        }

        // snippet: same-transaction
        @Idempotent(
                operation = "payment.pay",
                key = "#id",
                mode = Idempotent.Mode.SAME_TRANSACTION,
                waitUpTo = "30s",
                refusals = SoldOut.class)
        @Transactional
        public String pay(String id, int amount) {
            insert(id);
            if (amount > 1000) {
                throw new SoldOut("no more than 1000");
            }
            return "paid " + amount;
        }
        // end snippet

        @Idempotent(operation = "payment.fail", key = "#id", mode = Idempotent.Mode.SAME_TRANSACTION)
        @Transactional
        public String fail(String id, boolean fail) {
            insert(id);
            if (fail) {
                throw new IllegalStateException("broken");
            }
            return "paid";
        }

        @Idempotent(operation = "payment.claimed", key = "#id")
        @Transactional
        public String claimed(String id, int amount) {
            insert(id);
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    history.add("committed");
                }
            });
            return "claimed " + amount;
        }

        @Idempotent(operation = "payment.remote", key = "#id", unknown = TimeoutException.class)
        @Transactional(rollbackFor = Exception.class)
        public String remote(String id) throws TimeoutException {
            insert(id);
            history.add("sent");
            throw new TimeoutException("no answer from the other system");
        }

        @Idempotent(operation = "payment.stage", key = "#id")
        @Transactional
        public CompletableFuture<String> stage(String id) {
            insert(id);
            return CompletableFuture.completedFuture("staged");
        }

        @Idempotent(operation = "payment.own", key = "#id")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public String own(String id) {
            insert(id);
            return "own";
        }

        List<String> history() {
            return history;
        }

        private void insert(String id) {
            jdbc.sql("INSERT INTO payment (reference) VALUES (?)").param(id).update();
        }

        int rows(String id) {
            return jdbc.sql("SELECT COUNT(*) FROM payment WHERE reference = ?")
                    .param(id)
                    .query(Integer.class)
                    .single();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableIdempotent
    @EnableTransactionManagement
    static class Setup {
        // snippet: engines
        @Bean
        Oncegates oncegates(RedisBackend redis, JdbcTransactionManager manager, DataSource dataSource) {
            Oncegate claimed = Oncegate.claimed(new RedisRecordStore(redis))
                    .codec(new JacksonCodec())
                    .listener(Setup::heard)
                    .build();
            Oncegate sameTransaction = Oncegate.sameTransaction(
                            JdbcTransactionalRecordStore.builder(new SpringTransactionSource(manager, dataSource))
                                    .build())
                    .codec(new JacksonCodec())
                    .build();
            return new Oncegates(claimed, sameTransaction, Idempotent.Mode.CLAIMED);
        }
        // end snippet

        static volatile List<String> history = List.of();

        private static void heard(OnceEvent event) {
            if (event.kind() == OnceEvent.Kind.EXECUTED && !history.isEmpty()) {
                history.add("settled");
            }
        }

        @Bean
        CallerScope callerScope() {
            return () -> io.oncegate.core.key.Scope.of("alice");
        }

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        Payments payments(DataSource dataSource) {
            return new Payments(dataSource);
        }
    }

    @Parameter
    Databases kind;

    private TestDatabase database;
    private RedisClient client;
    private RedisBackend redis;
    private AnnotationConfigApplicationContext context;
    private Payments payments;
    private TransactionTemplate transaction;

    @BeforeParameterizedClassInvocation
    void start() throws Exception {
        database = kind.fresh();
        DataSource pool = database.pool(6, true);
        JdbcSchema.of(pool).create();
        JdbcClient.create(pool)
                .sql("CREATE TABLE payment (reference VARCHAR(60) NOT NULL)")
                .update();
        client = RedisClient.create();
        redis = RedisBackend.connecting(
                client, RedisServers.standalone().uri(), RedisOptions.defaults().withTimeout(Duration.ofSeconds(10)));
        context = new AnnotationConfigApplicationContext();
        context.registerBean(DataSource.class, () -> pool, bean -> bean.setDestroyMethodName(""));
        context.registerBean(RedisBackend.class, () -> redis, bean -> bean.setDestroyMethodName(""));
        context.register(Setup.class);
        context.refresh();
        payments = context.getBean(Payments.class);
        transaction = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
    }

    @AfterParameterizedClassInvocation
    void stop() {
        context.close();
        redis.close();
        client.shutdown(0, 0, TimeUnit.SECONDS);
        database.close();
    }

    private static String key() {
        return UUID.randomUUID().toString();
    }

    private static <T> T elsewhere(Supplier<T> task) {
        try {
            return CompletableFuture.supplyAsync(task).get(60, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException e) {
            throw (RuntimeException) e.getCause();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void sameTransactionModeHasOneEffectAndReplays() {
        String id = key();
        List<CompletableFuture<String>> all = new java.util.ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(CompletableFuture.supplyAsync(() -> payments.pay(id, 7)));
        }
        all.forEach(
                each -> assertThat(each).succeedsWithin(Duration.ofSeconds(60)).isEqualTo("paid 7"));
        assertThat(payments.rows(id)).isEqualTo(1);
        assertThatThrownBy(() -> payments.pay(id, 8)).isInstanceOf(MismatchException.class);
    }

    @Test
    void aFailureUndoesRecordAndEffectAndARefusalIsKeptWithoutTheEffect() {
        String id = key();
        assertThatThrownBy(() -> payments.pay(id, 2000)).isInstanceOf(SoldOut.class);
        assertThatThrownBy(() -> payments.pay(id, 2000))
                .isInstanceOf(SoldOut.class)
                .hasMessage("no more than 1000");
        assertThat(payments.rows(id)).isZero();
        String broken = key();
        assertThatThrownBy(() -> transaction.execute(status -> payments.fail(broken, true)))
                .isInstanceOf(IllegalStateException.class);
        assertThat(payments.rows(broken)).isZero();
        assertThat(payments.fail(broken, false)).isEqualTo("paid");
        assertThat(payments.rows(broken)).isEqualTo(1);
    }

    @Test
    void sameTransactionModeJoinsTheCallersTransaction() {
        String id = key();
        transaction.executeWithoutResult(status -> {
            assertThat(payments.pay(id, 1)).isEqualTo("paid 1");
            status.setRollbackOnly();
        });
        assertThat(payments.rows(id)).isZero();
        assertThat(transaction.<String>execute(status -> payments.pay(id, 1) + payments.pay(id, 1)))
                .isEqualTo("paid 1paid 1");
        assertThat(payments.rows(id)).isEqualTo(1);
    }

    @Test
    void claimedModeSettlesAfterTheCommit() {
        List<String> history = payments.history();
        history.clear();
        history.add("begun");
        Setup.history = history;
        try {
            payments.claimed(key(), 1);
        } finally {
            Setup.history = List.of();
        }
        assertThat(history).containsExactly("begun", "committed", "settled");
    }

    @Test
    @DisplayName("C07: a twin is held until the transaction around the call has been committed")
    void claimedModeIsHeldUntilTheCallersCommit() {
        String id = key();
        transaction.executeWithoutResult(status -> {
            assertThat(payments.claimed(id, 1)).isEqualTo("claimed 1");
            assertThatThrownBy(() -> elsewhere(() -> payments.claimed(id, 1))).isInstanceOf(InProgressException.class);
            assertThat(payments.claimed(id, 1))
                    .as("the same transaction is answered as before")
                    .isEqualTo("claimed 1");
            assertThatThrownBy(() -> payments.claimed(id, 2)).isInstanceOf(MismatchException.class);
        });
        assertThat(payments.claimed(id, 1)).isEqualTo("claimed 1");
        assertThat(payments.rows(id)).isEqualTo(1);
    }

    @Test
    @DisplayName("C07: what the caller rolls back, wholly or to a savepoint, has not happened")
    void aRolledBackCallerFreesTheKey() {
        String id = key();
        transaction.executeWithoutResult(status -> {
            payments.claimed(id, 1);
            status.setRollbackOnly();
        });
        assertThat(payments.rows(id)).isZero();
        transaction.executeWithoutResult(status -> {
            Object before = status.createSavepoint();
            payments.claimed(id, 1);
            status.rollbackToSavepoint(before);
            assertThat(payments.rows(id)).isZero();
            payments.claimed(id, 1);
            Object after = status.createSavepoint();
            status.rollbackToSavepoint(after);
        });
        assertThat(payments.claimed(id, 1)).isEqualTo("claimed 1");
        assertThat(payments.rows(id)).isEqualTo(1);
    }

    @Test
    @DisplayName("what may have happened in another system is not undone by the caller's rollback: it stays unknown")
    void anUnknownOutcomeOutlivesTheCallersRollback() {
        payments.history().clear();
        String id = key();
        Supplier<String> send = () -> {
            try {
                return payments.remote(id);
            } catch (TimeoutException e) {
                throw new IllegalStateException(e);
            }
        };
        assertThatThrownBy(() -> transaction.execute(status -> send.get())).hasCauseInstanceOf(TimeoutException.class);
        assertThatThrownBy(send::get).isInstanceOf(OutcomeUnknownException.class);
        assertThatThrownBy(() -> transaction.execute(status -> send.get())).isInstanceOf(OutcomeUnknownException.class);
        assertThat(payments.history()).containsExactly("sent");
        assertThat(payments.rows(id)).isZero();
    }

    @Test
    void aStageInTheCallersTransactionIsSettledWithIt() {
        String id = key();
        transaction.executeWithoutResult(status -> {
            assertThat(payments.stage(id)).isCompletedWithValue("staged");
            assertThat(elsewhere(() -> payments.stage(id))).isCompletedExceptionally();
            status.setRollbackOnly();
        });
        assertThat(payments.stage(id)).succeedsWithin(Duration.ofSeconds(60)).isEqualTo("staged");
        assertThat(payments.stage(id)).succeedsWithin(Duration.ofSeconds(60)).isEqualTo("staged");
        assertThat(payments.rows(id)).isEqualTo(1);
    }

    @Test
    void aTransactionOfItsOwnIsSettledWhenItEnds() {
        String id = key();
        transaction.executeWithoutResult(status -> {
            payments.own(id);
            assertThat(elsewhere(() -> payments.own(id))).isEqualTo("own");
            status.setRollbackOnly();
        });
        assertThat(payments.own(id)).isEqualTo("own");
        assertThat(payments.rows(id)).isEqualTo(1);
    }

    @Test
    void aNewTransactionInsideDoesNotWaitForTheOneAround() {
        String id = key();
        TransactionTemplate inner = new TransactionTemplate(context.getBean(JdbcTransactionManager.class));
        inner.setPropagationBehavior(TransactionTemplate.PROPAGATION_REQUIRES_NEW);
        transaction.executeWithoutResult(status -> {
            payments.claimed(id, 1);
            assertThatThrownBy(() -> inner.execute(unused -> payments.claimed(id, 1)))
                    .isInstanceOf(RecursiveCallException.class);
        });
        assertThat(payments.rows(id)).isEqualTo(1);
    }
}
