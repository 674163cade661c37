package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.error.InProgressException;
import io.oncegate.core.error.StoreUnavailableException;
import java.math.BigDecimal;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Cases from practice against insert-first, where transactions meet. */
class InsertFirstCasesIT {
    private static final RetryPolicy PATIENT =
            RetryPolicy.DEFAULT.withAttempts(100).withinTime(Duration.ofMinutes(2));

    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C28, C35: a duplicate gets the row that is there, unchanged, and the caller's other writes commit")
    void aDuplicateLeavesTheTransactionUsable(TestSetup setup) throws Exception {
        try (TestSetup.Open open = Orders.open(setup)) {
            InsertFirst orders = Orders.builder(setup).keyAlone().build();
            HikariDataSource pool = open.pool(1, false);
            for (int isolation : Orders.ISOLATIONS) {
                String key = "k-" + isolation;
                Inserted<Orders.Order> first = orders.insert(open.small, Orders.values(key, 10), Orders::read);
                assertThat(first.first()).isTrue();
                assertThat(first.row().amount()).isEqualByComparingTo("10");
                try (Connection connection = Orders.isolated(pool, isolation).getConnection()) {
                    TestSetup.insertBusiness(connection, key);
                    Inserted<Orders.Order> again = orders.insert(connection, Orders.values(key, 99), Orders::read);
                    assertThat(again).isEqualTo(new Inserted<>(first.row(), false));
                    TestSetup.insertBusiness(connection, key);
                    connection.commit();
                }
                assertThat(open.businessRows(key)).isEqualTo(2);
            }
            assertThat(open.number("SELECT COUNT(*) FROM orders WHERE amount = 10"))
                    .isEqualTo(2);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C29: seven wait for the first, which rolls back: one of them inserts, and nobody sees a deadlock")
    void sevenWaitForTheFirstWhichRollsBack(TestSetup setup) throws Exception {
        try (TestSetup.Open open = Orders.open(setup)) {
            DataSource pool = Orders.isolated(open.pool(8, false), Connection.TRANSACTION_REPEATABLE_READ);
            InsertFirst orders = Orders.byAmount(setup)
                    .spare(open.pool(1))
                    .waitUpTo(Duration.ofMinutes(1))
                    .retry(PATIENT)
                    .build();
            for (int round = 0; round < 3; round++) {
                String key = "round-" + round;
                List<Future<Inserted<Orders.Order>>> others = new ArrayList<>();
                ExecutorService threads = Executors.newFixedThreadPool(7);
                try (Connection first = pool.getConnection()) {
                    assertThat(orders.insert(first, Orders.values(key, 10), Orders::read)
                                    .first())
                            .isTrue();
                    CountDownLatch begun = new CountDownLatch(7);
                    for (int i = 0; i < 7; i++) {
                        others.add(threads.submit(() -> {
                            begun.countDown();
                            return orders.insert(pool, Orders.values(key, 10), Orders::read);
                        }));
                    }
                    begun.await();
                    TimeUnit.MILLISECONDS.sleep(100); // as long as T1 of the case sleeps on its insert
                    first.rollback();
                }
                List<Inserted<Orders.Order>> found = new ArrayList<>();
                for (Future<Inserted<Orders.Order>> other : others) {
                    found.add(other.get(1, TimeUnit.MINUTES));
                }
                threads.shutdown();
                assertThat(found).filteredOn(Inserted::first).hasSize(1);
                assertThat(found)
                        .extracting(Inserted::row)
                        .containsOnly(found.get(0).row());
            }
            assertThat(Orders.rows(open)).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C29: 64 threads with shuffled neighbouring keys: each key is inserted once")
    void shuffledNeighbouringKeys(TestSetup setup) throws Exception {
        try (TestSetup.Open open = Orders.open(setup)) {
            HikariDataSource connections = open.pool(16, false);
            DataSource pool = Orders.isolated(connections, Connection.TRANSACTION_REPEATABLE_READ);
            InsertFirst orders = Orders.byAmount(setup).retry(PATIENT).build();
            ConcurrentHashMap<String, Integer> firsts = new ConcurrentHashMap<>();
            Threads.together(64, number -> {
                List<String> keys = new ArrayList<>();
                for (int i = 0; i < 5; i++) {
                    keys.add("key-" + (number / 8 * 5 + i));
                }
                Collections.shuffle(keys, new Random(number));
                for (String key : keys) {
                    if (orders.insert(pool, Orders.values(key, 10), Orders::read)
                            .first()) {
                        firsts.merge(key, 1, Integer::sum);
                    }
                }
                return number;
            });
            assertThat(firsts)
                    .hasSize(40)
                    .allSatisfy((key, times) -> assertThat(times).as(key).isEqualTo(1));
            assertThat(Orders.rows(open)).isEqualTo(40);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName(
            "C29: two transactions that insert two keys crosswise: the database ends one, whose second try gets both rows")
    void aDeadlockIsRetriedOutsideTheDeadTransaction(TestSetup setup) throws Exception {
        try (TestSetup.Open open = Orders.open(setup)) {
            HikariDataSource pool = open.pool(2, false);
            InsertFirst orders =
                    Orders.byAmount(setup).waitUpTo(Duration.ofSeconds(30)).build();
            CyclicBarrier crossed = new CyclicBarrier(2);
            AtomicInteger tries = new AtomicInteger();
            List<Integer> firsts = Threads.together(2, number -> {
                AtomicInteger mine = new AtomicInteger();
                return PATIENT.run(
                        failure -> RetryPolicy.mayRepeat(failure) || failure instanceof InProgressException, () -> {
                            try (Connection connection = pool.getConnection()) {
                                int inserted = 0;
                                tries.incrementAndGet();
                                for (String key : number == 0 ? List.of("a", "b") : List.of("b", "a")) {
                                    inserted += orders.insert(connection, Orders.values(key, 10), Orders::read)
                                                    .first()
                                            ? 1
                                            : 0;
                                    if (mine.incrementAndGet() == 1) {
                                        crossed.await(1, TimeUnit.MINUTES);
                                    }
                                }
                                connection.commit();
                                return inserted;
                            }
                        });
            });
            assertThat(firsts).containsExactlyInAnyOrder(0, 2);
            assertThat(tries).hasValueGreaterThanOrEqualTo(3);
            assertThat(Orders.rows(open)).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName(
            "C30: under REPEATABLE READ, in a caller's transaction that has read before, the winner's row comes back")
    void theWinnerIsFoundUnderRepeatableRead(TestSetup setup) throws Exception {
        try (TestSetup.Open open = Orders.open(setup)) {
            HikariDataSource pool = open.pool(2, false);
            InsertFirst orders = Orders.byAmount(setup).spare(pool).build();
            try (Connection late = Orders.isolated(pool, Connection.TRANSACTION_REPEATABLE_READ)
                    .getConnection()) {
                assertThat(TestSetup.number(late, "SELECT COUNT(*) FROM orders"))
                        .isZero();
                Inserted<Orders.Order> winner = orders.insert(pool, Orders.values("k", 10), Orders::read);
                TestSetup.insertBusiness(late, "before");
                assertThat(orders.insert(late, Orders.values("k", "10.00"), Orders::read))
                        .isEqualTo(new Inserted<>(winner.row(), false));
                assertThatThrownBy(() -> orders.insert(late, Orders.values("k", 11), Orders::read))
                        .hasMessageContaining("amount");
                TestSetup.insertBusiness(late, "after");
                late.commit();
            }
            assertThat(open.businessRows("before") + open.businessRows("after")).isEqualTo(2);
        }
    }

    @Test
    @DisplayName("C30: MariaDB ends no transaction over it where innodb_snapshot_isolation is on")
    void snapshotIsolationDoesNotEndTheTransaction() throws Exception {
        try (TestSetup.Open open = Orders.open(TestSetup.MARIADB)) {
            HikariDataSource pool = open.pool(2, false);
            InsertFirst orders = Orders.byAmount(TestSetup.MARIADB).build();
            try (Connection late = Orders.isolated(pool, Connection.TRANSACTION_REPEATABLE_READ)
                    .getConnection()) {
                late.createStatement().execute("SET SESSION innodb_snapshot_isolation = ON");
                TestSetup.insertBusiness(late, "before");
                assertThat(TestSetup.number(late, "SELECT COUNT(*) FROM orders"))
                        .isZero();
                orders.insert(pool, Orders.values("k", 10), Orders::read);
                assertThat(orders.insert(late, Orders.values("k", 10), Orders::read)
                                .first())
                        .isFalse();
                late.commit();
                late.createStatement().execute("SET SESSION innodb_snapshot_isolation = DEFAULT");
            }
            assertThat(open.businessRows("before")).isEqualTo(1);
        }
    }

    @Test
    @DisplayName(
            "C30: PostgreSQL without a spare connection, or with an exhausted pool: an error that says what to do, in time")
    void withoutASpareConnectionItIsATypedError() throws Exception {
        try (TestSetup.Open open = Orders.open(TestSetup.POSTGRESQL);
                HikariDataSource one =
                        TestSetup.Open.pool(open.database, open.database.url(), 1, false, Duration.ofSeconds(1))) {
            InsertFirst without = Orders.byAmount(TestSetup.POSTGRESQL).build();
            InsertFirst exhausted =
                    Orders.byAmount(TestSetup.POSTGRESQL).spare(one).build();
            try (Connection late =
                    Orders.isolated(one, Connection.TRANSACTION_REPEATABLE_READ).getConnection()) {
                assertThat(TestSetup.number(late, "SELECT COUNT(*) FROM orders"))
                        .isZero();
                without.insert(open.small, Orders.values("k", 10), Orders::read);
                assertThatThrownBy(() -> without.insert(late, Orders.values("k", 10), Orders::read))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("spare")
                        .satisfies(failure ->
                                assertThat(RetryPolicy.mayRepeat(failure)).isTrue());
                assertThatThrownBy(() -> exhausted.insert(late, Orders.values("k", 10), Orders::read))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("one connection more")
                        .satisfies(failure ->
                                assertThat(RetryPolicy.mayRepeat(failure)).isTrue());
                TestSetup.insertBusiness(late, "after");
                late.commit();
            }
            assertThat(open.businessRows("after")).isEqualTo(1);
            assertThat(without.insert(one, Orders.values("k", 10), Orders::read).first())
                    .isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName(
            "C39: a second insert waits for the first transaction in bounded time, and is told that it is in progress")
    void aSecondInsertIsToldThatTheFirstIsInProgress(TestSetup setup) throws Exception {
        try (TestSetup.Open open = Orders.open(setup)) {
            HikariDataSource pool = open.pool(2, false);
            InsertFirst orders =
                    Orders.byAmount(setup).waitUpTo(Duration.ofMillis(600)).build();
            try (Connection first = pool.getConnection();
                    Connection second = pool.getConnection()) {
                orders.insert(first, Orders.values("k", 10), Orders::read);
                TestSetup.insertBusiness(second, "second");
                assertThatThrownBy(() -> orders.insert(second, Orders.values("k", 10), Orders::read))
                        .isInstanceOf(InProgressException.class)
                        .hasMessageNotContaining("user");
                assertThatThrownBy(() -> orders.insert(open.small, Orders.values("k", 10), Orders::read))
                        .isInstanceOf(InProgressException.class);
                if (setup.postgres()) {
                    second.rollback(); // dead, as is said
                    TestSetup.insertBusiness(second, "second");
                }
                first.commit();
                assertThat(orders.insert(second, Orders.values("k", 10), Orders::read)
                                .first())
                        .isFalse();
                if (setup.postgres()) {
                    assertThat(TestSetup.text(second, "SHOW lock_timeout")).isEqualTo("0");
                }
                second.commit();
            }
            assertThat(open.businessRows("second")).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("C39: PostgreSQL's duplicates take no numbers from the sequence once the row can be seen")
    void duplicatesBurnNoNumbers() throws Exception {
        try (TestSetup.Open open = Orders.open(TestSetup.POSTGRESQL)) {
            InsertFirst orders = Orders.byAmount(TestSetup.POSTGRESQL).build();
            for (int i = 0; i < 20; i++) {
                orders.insert(open.small, Orders.values("k", 10), Orders::read);
            }
            assertThat(orders.insert(open.small, Orders.values("other", 10), Orders::read)
                            .row())
                    .isEqualTo(new Orders.Order(2, "other", new BigDecimal("10.00")));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aRowThatWasInsertedAndRolledBackIsNoDuplicate(TestSetup setup) throws Exception {
        try (TestSetup.Open open = Orders.open(setup)) {
            InsertFirst orders = Orders.byAmount(setup).build();
            try (Connection connection = open.pool(1, false).getConnection()) {
                for (int tries = 0; tries < 3; tries++) {
                    assertThat(orders.insert(connection, Orders.values("k", 10), Orders::read)
                                    .first())
                            .isTrue();
                    assertThat(orders.insert(connection, Orders.values("k", 10), Orders::read)
                                    .first())
                            .isFalse();
                    connection.rollback();
                }
            }
            assertThat(Orders.rows(open)).isZero();
        }
    }

    @Test
    void aTableThatIsAlteredMeanwhileEndsNoRequest() throws Exception {
        try (TestSetup.Open open = Orders.open(TestSetup.POSTGRESQL)) {
            HikariDataSource pool = open.database.pool(open.database.url() + "?prepareThreshold=1", 1, false);
            InsertFirst orders = Orders.byAmount(TestSetup.POSTGRESQL).build();
            for (int i = 0; i < 3; i++) {
                orders.insert(pool, Orders.values("k", 10), Orders::read);
            }
            open.execute("ALTER TABLE orders ADD COLUMN voucher VARCHAR(20)");
            assertThat(orders.insert(pool, Orders.values("k", 10), row -> row.getString("voucher") + row.getLong("id"))
                            .first())
                    .isFalse();
            assertThat(orders.insert(pool, Orders.values("k2", 10), Orders::read)
                            .first())
                    .isTrue();
        }
    }

    @Test
    void aRowThatIsHiddenForGoodIsATypedErrorThatSaysWhy() throws Exception {
        try (TestSetup.Open open = Orders.open(TestSetup.POSTGRESQL)) {
            open.execute("CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS"
                    + " $$ BEGIN NEW.request_id := upper(NEW.request_id); RETURN NEW; END $$");
            open.execute("CREATE TRIGGER shouts BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION shout()");
            InsertFirst orders = Orders.byAmount(TestSetup.POSTGRESQL).build();
            orders.insert(open.small, Orders.values("k", 10), Orders::read);
            try (Connection connection = open.pool(1, false).getConnection()) {
                for (InsertFirst helper : List.of(
                        orders,
                        Orders.byAmount(TestSetup.POSTGRESQL).spare(open.small).build())) {
                    assertThatThrownBy(() -> helper.insert(connection, Orders.values("k", 10), Orders::read))
                            .isInstanceOf(StoreUnavailableException.class)
                            .hasMessageContaining("trigger")
                            .satisfies(failure ->
                                    assertThat(RetryPolicy.mayRepeat(failure)).isFalse());
                }
                TestSetup.insertBusiness(connection, "after");
                connection.commit();
            }
            assertThat(open.businessRows("after")).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("the spare connection may be one that only reads")
    void theSpareConnectionMayBeReadOnly() throws Exception {
        try (TestSetup.Open open = Orders.open(TestSetup.POSTGRESQL)) {
            HikariDataSource pool = open.pool(2, false);
            HikariDataSource reading = open.database.pool(
                    open.database.url() + "?options=-c%20default_transaction_read_only=on", 1, false);
            InsertFirst orders =
                    Orders.byAmount(TestSetup.POSTGRESQL).spare(reading).build();
            try (Connection late = Orders.isolated(pool, Connection.TRANSACTION_REPEATABLE_READ)
                    .getConnection()) {
                TestSetup.number(late, "SELECT COUNT(*) FROM orders");
                orders.insert(pool, Orders.values("k", 10), Orders::read);
                assertThat(orders.insert(late, Orders.values("k", 10), Orders::read)
                                .first())
                        .isFalse();
                late.commit();
            }
        }
    }
}
