package io.oncegate.spring.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import io.oncegate.testsupport.Databases;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

class SpringTransactionSourceIT {
    private static final Operation<String> PAY = Operation.named("pay")
            .returning(String.class)
            .refusal("sold-out", Shop.SoldOut.class, Shop.SoldOut::new)
            .build();

    static Stream<Arguments> setups() {
        return Stream.of(Databases.H2, Databases.POSTGRESQL, Databases.MARIADB)
                .flatMap(kind -> Stream.of(Arguments.of(kind, false), Arguments.of(kind, true)));
    }

    private interface Business {
        String run() throws Exception;
    }

    private static Outcome<String> pay(SpringSetup setup, String key, Business business) {
        try {
            return setup.oncegate.<String, Exception>run(
                    PAY.call(Scope.of("u"), key, Fingerprint.none()), claim -> business.run());
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    void recordAndEffectAreOneTransaction(Databases kind, boolean jpa) throws Exception {
        try (SpringSetup setup = new SpringSetup(kind, jpa, 4)) {
            assertThat(pay(setup, "k", () -> setup.shop.pay("p", 5))).isEqualTo(new Outcome.Executed<>("paid p"));
            assertThat(pay(setup, "k", () -> setup.shop.pay("q", 5))).isEqualTo(new Outcome.Replayed<>("paid p"));
            assertThat(setup.shop.payments()).isEqualTo(1);

            assertThatThrownBy(() ->
                            pay(setup, "fails", () -> setup.shop.payAndFail("r", new IllegalStateException("no"))))
                    .hasMessage("no");
            assertThat(setup.shop.payments()).isEqualTo(1);
            assertThat(setup.records()).isEqualTo(1);
            assertThat(pay(setup, "fails", () -> setup.shop.pay("r", 5))).isInstanceOf(Outcome.Executed.class);

            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isFalse();
            assertThat(setup.pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    @DisplayName("C28: in the caller's transaction a duplicate is answered, and the transaction stays usable")
    void joinsTheCallersTransaction(Databases kind, boolean jpa) throws Exception {
        try (SpringSetup setup = new SpringSetup(kind, jpa, 1)) {
            setup.shop.inTransaction(() -> pay(setup, "k", () -> setup.shop.pay("first", 1)));
            Outcome<String> second = setup.shop.inTransaction(() -> {
                Outcome<String> outcome = pay(setup, "k", () -> setup.shop.pay("second", 1));
                setup.shop.pay("other", 2);
                return outcome;
            });
            assertThat(second).isEqualTo(new Outcome.Replayed<>("paid first"));
            assertThat(setup.shop.payments()).isEqualTo(2);
            assertThat(setup.shop.amount("other")).isEqualTo(2);

            assertThatThrownBy(() -> setup.shop.inTransaction(() -> {
                        pay(setup, "undone", () -> setup.shop.pay("undone", 1));
                        throw new IllegalStateException("later");
                    }))
                    .hasMessage("later");
            assertThat(setup.shop.payments()).isEqualTo(2);
            assertThat(setup.records()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    void aFailureInTheCallersTransactionRollsAllOfItBack(Databases kind, boolean jpa) throws Exception {
        try (SpringSetup setup = new SpringSetup(kind, jpa, 1)) {
            assertThatThrownBy(() -> setup.shop.inTransaction(() -> {
                        setup.shop.pay("before", 1);
                        try {
                            return pay(setup, "k", () -> {
                                throw new IllegalStateException("no");
                            });
                        } catch (IllegalStateException e) {
                            return "swallowed";
                        }
                    }))
                    .isInstanceOf(UnexpectedRollbackException.class);
            assertThat(setup.shop.payments()).isZero();
            assertThat(setup.records()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    void aKeptRefusalSurvivesWhatItUndoes(Databases kind, boolean jpa) throws Exception {
        try (SpringSetup setup = new SpringSetup(kind, jpa, 2)) {
            for (boolean replayed : new boolean[] {false, true}) {
                Outcome<String> outcome =
                        pay(setup, "k", () -> setup.shop.payAndFail("p", new Shop.SoldOut("none left")));
                assertThat(outcome).isInstanceOfSatisfying(Outcome.Refused.class, refused -> {
                    assertThat(refused.refusal())
                            .isInstanceOf(Shop.SoldOut.class)
                            .hasMessage("none left");
                    assertThat(refused.replayed()).isEqualTo(replayed);
                });
            }
            assertThat(setup.shop.payments()).isZero();
            assertThat(setup.records()).isEqualTo(1);
            assertThat(setup.pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Databases.class,
            names = {"H2", "POSTGRESQL", "MARIADB"})
    void aKeptRefusalTakesNoUnflushedChangesAlong(Databases kind) throws Exception {
        try (SpringSetup setup = new SpringSetup(kind, true, 2)) {
            Outcome<String> thrown =
                    pay(setup, "a", () -> setup.shop.persistAndFail("p", new Shop.SoldOut("none left")));
            assertThat(thrown).isInstanceOf(Outcome.Refused.class);
            Outcome<String> outside = pay(setup, "b", () -> {
                setup.shop.save("q", 1); // not flushed, in a transaction that nothing has marked
                throw new Shop.SoldOut("none left");
            });
            assertThat(outside).isInstanceOf(Outcome.Refused.class);
            assertThat(setup.shop.payments()).isZero();
            assertThat(setup.records()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    void aSwallowedFailureOfAnInnerTransactionIsAnUnexpectedRollback(Databases kind, boolean jpa) throws Exception {
        try (SpringSetup setup = new SpringSetup(kind, jpa, 2)) {
            Business swallows = () -> {
                try {
                    return setup.shop.payAndFail("p", new IllegalStateException("no"));
                } catch (IllegalStateException e) {
                    return "swallowed";
                }
            };
            assertThatThrownBy(() -> pay(setup, "k", swallows)).isInstanceOf(UnexpectedRollbackException.class);
            assertThat(setup.records()).isZero();
            assertThat(pay(setup, "k", () -> setup.shop.pay("p", 1))).isInstanceOf(Outcome.Executed.class);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Databases.class,
            names = {"H2", "POSTGRESQL", "MARIADB"})
    void aFailedFlushAtTheCommitIsThrownAsItIs(Databases kind) throws Exception {
        try (SpringSetup setup = new SpringSetup(kind, true, 2)) {
            assertThatThrownBy(() -> pay(setup, "k", () -> setup.shop.persistTwice("p")))
                    .isInstanceOf(DataAccessException.class);
            assertThat(setup.records()).isZero();
            assertThat(setup.shop.payments()).isZero();
            assertThat(setup.pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    void callbacksThatFailAreTheCallersToSee(Databases kind, boolean jpa) throws Exception {
        try (SpringSetup setup = new SpringSetup(kind, jpa, 2)) {
            assertThatThrownBy(() -> pay(setup, "before", () -> failing(setup, "p", true)))
                    .hasMessage("before the commit");
            assertThat(setup.records()).isZero();
            assertThatThrownBy(() -> pay(setup, "after", () -> failing(setup, "q", false)))
                    .hasMessage("after the commit");
            assertThat(setup.records()).isEqualTo(1);
            assertThat(pay(setup, "after", () -> "never")).isEqualTo(new Outcome.Replayed<>("paid q"));
            assertThat(setup.shop.payments()).isEqualTo(1);
        }
    }

    private static String failing(SpringSetup setup, String id, boolean before) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                if (before) {
                    throw new IllegalStateException("before the commit");
                }
            }

            @Override
            public void afterCommit() {
                throw new IllegalStateException("after the commit");
            }
        });
        return setup.shop.pay(id, 1);
    }

    @Test
    @DisplayName("C35: an entity with an assigned id is not updated by a second claim")
    void savingAnAssignedIdIsNotAnUpdate() throws Exception {
        try (SpringSetup setup = new SpringSetup(Databases.POSTGRESQL, true, 4)) {
            assertThat(pay(setup, "one", () -> setup.shop.save("one", 10))).isInstanceOf(Outcome.Executed.class);
            assertThat(pay(setup, "one", () -> setup.shop.save("one", 99)))
                    .isEqualTo(new Outcome.Replayed<>("saved 10"));
            assertThat(setup.shop.amount("one")).isEqualTo(10);

            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch asked = new CountDownLatch(1);
            ExecutorService threads = Executors.newFixedThreadPool(2);
            Future<Outcome<String>> first = threads.submit(() -> pay(setup, "two", () -> {
                String saved = setup.shop.save("two", 10);
                inside.countDown();
                asked.await(2, TimeUnit.MINUTES);
                return saved;
            }));
            inside.await();
            Outcome<String> second = pay(setup, "two", () -> setup.shop.save("two", 99));
            asked.countDown();
            assertThat(second).isInstanceOf(Outcome.Held.class);
            assertThat(first.get()).isEqualTo(new Outcome.Executed<>("saved 10"));
            assertThat(setup.shop.amount("two")).isEqualTo(10);
            threads.shutdown();
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    @DisplayName("C99: calls in the callers' transactions take no second connection")
    void takesNoSecondConnection(Databases kind, boolean jpa) throws Exception {
        try (SpringSetup setup = new SpringSetup(kind, jpa, 10)) {
            storm(setup, 50);
        }
        try (SpringSetup setup = new SpringSetup(kind, jpa, 1)) {
            storm(setup, 20);
        }
    }

    private static void storm(SpringSetup setup, int requests) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(requests);
        AtomicInteger runs = new AtomicInteger();
        List<Future<Outcome<String>>> answers = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            String id = "p" + i;
            boolean outer = i % 2 == 0;
            Business business = () -> setup.shop.pay(id, runs.incrementAndGet());
            answers.add(threads.submit(
                    () -> outer ? setup.shop.inTransaction(() -> pay(setup, id, business)) : pay(setup, id, business)));
        }
        for (Future<Outcome<String>> answer : answers) {
            assertThat(answer.get(60, TimeUnit.SECONDS)).isInstanceOf(Outcome.Executed.class);
        }
        threads.shutdown();
        assertThat(setup.shop.payments()).isEqualTo(requests);
        assertThat(setup.records()).isEqualTo(requests);
    }

    @Test
    void theBusinessIsGivenTheConnection() throws Exception {
        try (SpringSetup setup = new SpringSetup(Databases.H2, false, 2)) {
            setup.oncegate.run(PAY.call(Scope.of("u"), "k", Fingerprint.none()), claim -> {
                Connection connection = claim.unwrap(Connection.class);
                assertThat(connection).isNotNull();
                assertThat(connection.getAutoCommit()).isFalse();
                connection.createStatement().executeUpdate("INSERT INTO payment VALUES ('raw', 1)");
                return "raw";
            });
            assertThat(setup.shop.amount("raw")).isEqualTo(1);
        }
    }

    @Test
    void refusesADataSourceThatIsNotTheManagers() throws Exception {
        try (SpringSetup setup = new SpringSetup(Databases.H2, false, 2);
                Oncegate wrong = Oncegate.sameTransaction(
                                JdbcTransactionalRecordStore.builder(new SpringTransactionSource(
                                                setup.manager, new DriverManagerDataSource("jdbc:h2:mem:")))
                                        .build())
                        .build()) {
            assertThatThrownBy(() -> wrong.run(PAY.call(Scope.of("u"), "k", Fingerprint.none()), claim -> ""))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("data source");
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isFalse();
            assertThat(setup.pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }
}
