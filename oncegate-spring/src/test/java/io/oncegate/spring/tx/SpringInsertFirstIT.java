package io.oncegate.spring.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.transaction.TransactionDefinition.ISOLATION_READ_COMMITTED;
import static org.springframework.transaction.TransactionDefinition.ISOLATION_REPEATABLE_READ;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.MismatchException;
import io.oncegate.jdbc.InsertFirst;
import io.oncegate.jdbc.Inserted;
import io.oncegate.jdbc.RetryPolicy;
import io.oncegate.jdbc.UniqueConstraint;
import io.oncegate.testsupport.Databases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Insert-first for users of JdbcTemplate and JdbcClient. */
class SpringInsertFirstIT {
    private static final int CALLERS = 64;

    static Stream<Arguments> matrix() {
        return Stream.of(Databases.H2, Databases.POSTGRESQL, Databases.MARIADB)
                .flatMap(kind -> Stream.of(
                        Arguments.of(kind, ISOLATION_READ_COMMITTED, true),
                        Arguments.of(kind, ISOLATION_REPEATABLE_READ, true),
                        Arguments.of(kind, ISOLATION_READ_COMMITTED, false)));
    }

    private static Map<String, Object> values(String request, Object amount) {
        return Map.of("user_id", 7L, "request_id", request, "amount", amount);
    }

    @ParameterizedTest
    @MethodSource("matrix")
    void of64CallersOneIsFirstAndAllGetTheSameRow(Databases kind, int isolation, boolean inside) throws Exception {
        try (DataSetup setup = new DataSetup(kind, 16)) {
            FreshTransactions transactions = new FreshTransactions(
                    setup.manager,
                    RetryPolicy.DEFAULT.withAttempts(100).withinTime(Duration.ofMinutes(2)),
                    setup.isolated(isolation));
            ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
            List<Future<Inserted<Long>>> futures = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                String note = "caller " + i;
                futures.add(threads.submit(() -> inside
                        ? transactions.run(() -> {
                            setup.count("SELECT COUNT(*) FROM orders"); // a snapshot, where there are snapshots
                            Inserted<Long> one = setup.orders.insert(values("k", 10), DataSetup.ID);
                            setup.note(note);
                            return one;
                        })
                        : setup.orders.insert(values("k", 10), DataSetup.ID)));
            }
            List<Inserted<Long>> found = new ArrayList<>();
            for (Future<Inserted<Long>> future : futures) {
                found.add(future.get(2, TimeUnit.MINUTES));
            }
            threads.shutdown();
            assertThat(found).filteredOn(Inserted::first).hasSize(1);
            assertThat(found)
                    .extracting(Inserted::row)
                    .containsOnly(found.get(0).row());
            assertThat(setup.count("SELECT COUNT(*) FROM orders")).isEqualTo(1);
            assertThat(setup.count("SELECT COUNT(DISTINCT text) FROM note")).isEqualTo(inside ? CALLERS : 0);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    @DisplayName("C28: in a transaction a duplicate is answered on the same connection, and other writes commit")
    void aDuplicateLeavesTheTransactionUsable(Databases kind) {
        try (DataSetup setup = new DataSetup(kind, 1)) {
            TransactionTemplate transaction = setup.transaction(ISOLATION_READ_COMMITTED);
            if (kind != Databases.MARIADB) { // whose default collation is none for keys
                setup.orders.check();
            }
            Inserted<Long> first = setup.orders.insert(values("k", 10), DataSetup.ID);
            Inserted<Long> again = transaction.execute(status -> {
                setup.note("before");
                Inserted<Long> one = setup.orders.insert(values("k", "10.00"), DataSetup.ID);
                assertThatThrownBy(() -> setup.orders.insert(values("k", 99), DataSetup.ID))
                        .isInstanceOfSatisfying(
                                MismatchException.class,
                                mismatch -> assertThat(mismatch.parts()).containsExactly("amount"));
                setup.note("after");
                return one;
            });
            assertThat(again).isEqualTo(new Inserted<>(first.row(), false));
            assertThat(setup.count("SELECT COUNT(*) FROM note")).isEqualTo(2);

            transaction.executeWithoutResult(status -> {
                setup.orders.insert(values("undone", 1), DataSetup.ID);
                status.setRollbackOnly();
            });
            assertThat(setup.count("SELECT COUNT(*) FROM orders")).isEqualTo(1);
            assertThat(setup.pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    void whatIsNotTheGuardsIsSpringsException(Databases kind) {
        try (DataSetup setup = new DataSetup(kind, 2)) {
            Map<String, Object> one = Map.of("user_id", 7L, "request_id", "a", "amount", 1, "order_no", "7");
            Map<String, Object> other = Map.of("user_id", 7L, "request_id", "b", "amount", 1, "order_no", "7");
            setup.orders.insert(one, DataSetup.ID);
            for (Runnable insert : List.<Runnable>of(
                    () -> setup.orders.insert(other, DataSetup.ID),
                    () -> setup.transaction(ISOLATION_READ_COMMITTED)
                            .executeWithoutResult(status -> setup.orders.insert(other, DataSetup.ID)))) {
                assertThatThrownBy(insert::run)
                        .isInstanceOf(DuplicateKeyException.class)
                        .satisfies(failure -> assertThat(
                                        UniqueConstraint.named("uk_order_no").refused(failure))
                                .isTrue());
            }
            assertThatThrownBy(() -> setup.orders.insert(values(" ", 1), DataSetup.ID))
                    .isInstanceOf(InvalidKeyException.class);
            JdbcTransactionManager elsewhere =
                    new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:elsewhere", "sa", ""));
            assertThatThrownBy(() -> new TransactionTemplate(elsewhere)
                            .executeWithoutResult(status -> setup.orders.insert(values("c", 1), DataSetup.ID)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("data source");
            assertThat(setup.count("SELECT COUNT(*) FROM orders")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    void withoutATransactionNothingIsLostWhereConnectionsDoNotCommitByThemselves(Databases kind) {
        try (DataSetup setup = new DataSetup(kind, 2);
                HikariDataSource manual = setup.database.pool(2, false)) {
            SpringInsertFirst orders = new SpringInsertFirst(
                    manual,
                    InsertFirst.into("orders")
                            .guard(UniqueConstraint.named("uk_request"), "user_id", "request_id")
                            .keyAlone()
                            .build());
            TransactionTemplate supports = new TransactionTemplate(new JdbcTransactionManager(manual));
            supports.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
            Inserted<Long> inserted = supports.execute(status -> {
                // Spring keeps the connection for the length of the method, without a transaction.
                JdbcClient.create(manual)
                        .sql("SELECT COUNT(*) FROM note")
                        .query(Long.class)
                        .single();
                return orders.insert(values("k", 10), DataSetup.ID);
            });
            assertThat(inserted.first()).isTrue();
            assertThat(setup.count("SELECT COUNT(*) FROM orders")).isEqualTo(1);
            assertThat(orders.insert(values("k", 10), DataSetup.ID)).isEqualTo(new Inserted<>(inserted.row(), false));
        }
    }
}
