package io.oncegate.jdbc;

import static io.oncegate.jdbc.Requests.FIRST;
import static io.oncegate.jdbc.Requests.replay;
import static io.oncegate.jdbc.Requests.request;
import static io.oncegate.jdbc.Requests.succeeded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.TransactionDeadException;
import io.oncegate.core.spi.TransactionalRecordStore;
import io.oncegate.testkit.Untimed;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Cases from practice against same-transaction mode. */
class TransactionCasesIT {
    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final ThreadLocal<Connection> CURRENT = new ThreadLocal<>();

    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C28: after a duplicate the caller's transaction goes on, writes another row and commits")
    void afterADuplicateTheCallersTransactionGoesOn(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            HikariDataSource pool = open.pool(2);
            settled(open, pool, "k", "first");
            try (Connection callers = pool.getConnection()) {
                callers.setAutoCommit(false);
                RecordTransaction joined = joining(open, callers, pool).begin();
                TestSetup.insertBusiness(callers, "before");
                assertThat(Untimed.of(joined.recordFirst(request("k"), FIRST, WAIT)))
                        .isEqualTo(replay("first"));
                TestSetup.insertBusiness(callers, "after");
                joined.commit();
                callers.commit();
            }
            assertThat(open.businessRows("before")).isEqualTo(1);
            assertThat(open.businessRows("after")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C29: seven wait for the first, which rolls back: one of them runs, and nobody sees a deadlock")
    void sevenWaitForTheFirstWhichRollsBack(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            HikariDataSource pool = open.pool(8);
            TransactionalRecordStore store =
                    open.transactional(TransactionSource.of(pool)).build();
            for (int round = 0; round < 5; round++) {
                String key = "round-" + round;
                RecordTransaction first = store.begin();
                assertThat(first.recordFirst(request(key), FIRST, WAIT)).isInstanceOf(ClaimAnswer.Granted.class);
                CountDownLatch waiting = new CountDownLatch(7);
                ExecutorService threads = Executors.newFixedThreadPool(7);
                List<Future<ClaimAnswer>> others = new ArrayList<>();
                for (int i = 0; i < 7; i++) {
                    others.add(threads.submit(() -> {
                        waiting.countDown();
                        return run(store, request(key), key);
                    }));
                }
                waiting.await();
                TimeUnit.MILLISECONDS.sleep(100); // as long as T1 of the case sleeps on its insert
                first.rollback();
                List<ClaimAnswer> answers = new ArrayList<>();
                for (Future<ClaimAnswer> other : others) {
                    answers.add(other.get(1, TimeUnit.MINUTES));
                }
                threads.shutdown();
                assertThat(answers)
                        .filteredOn(ClaimAnswer.Granted.class::isInstance)
                        .hasSize(1);
                assertThat(answers)
                        .filteredOn(answer -> Untimed.of(answer).equals(replay(key)))
                        .hasSize(6);
                assertThat(open.businessRows(key)).isEqualTo(1);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C29: 200 threads with shuffled neighbouring keys: each key runs once")
    void manyThreadsWithShuffledNeighbouringKeys(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            HikariDataSource pool = open.pool(16);
            TransactionalRecordStore store =
                    open.transactional(TransactionSource.of(pool)).build();
            ConcurrentHashMap<String, Integer> granted = new ConcurrentHashMap<>();
            Threads.together(200, number -> {
                List<Integer> order = new ArrayList<>();
                for (int i = 0; i < 5; i++) {
                    order.add(number / 10 * 5 + i);
                }
                Collections.shuffle(order, new Random(number));
                for (int i : order) {
                    String key = "key-" + i;
                    if (run(store, request(key), key) instanceof ClaimAnswer.Granted) {
                        granted.merge(key, 1, Integer::sum);
                    }
                }
                return number;
            });
            assertThat(granted)
                    .hasSize(100)
                    .allSatisfy((key, times) -> assertThat(times).as(key).isEqualTo(1));
            assertThat(open.number("SELECT COUNT(*) FROM business_row")).isEqualTo(100);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C30: under REPEATABLE READ, in an own and in a caller's transaction, the winner is found")
    void underRepeatableReadTheWinnerIsFound(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            HikariDataSource pool = open.pool(3);
            for (boolean joins : new boolean[] {false, true}) {
                String key = "joins-" + joins;
                try (Connection callers = pool.getConnection()) {
                    callers.setAutoCommit(false);
                    callers.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                    TransactionalRecordStore store = joins
                            ? joining(open, callers, pool)
                            : open.transactional(() -> new Unjoined(callers)).build();
                    assertThat(TestSetup.countBusiness(callers, "nobody")).isZero();
                    settled(open, pool, key, "winner");
                    RecordTransaction late = store.begin();
                    if (setup.postgres()) {
                        // No statement of this snapshot can see the row; the transaction can only be begun again.
                        assertThatThrownBy(() -> late.recordFirst(request(key), FIRST, WAIT))
                                .isInstanceOf(TransactionDeadException.class);
                        late.rollback();
                        if (joins) {
                            TestSetup.insertBusiness(callers, "still usable");
                            callers.commit();
                            assertThat(open.businessRows("still usable")).isEqualTo(1);
                        }
                        RecordTransaction again = store.begin();
                        assertThat(Untimed.of(again.recordFirst(request(key), FIRST, WAIT)))
                                .isEqualTo(replay("winner"));
                        again.rollback();
                    } else {
                        assertThat(Untimed.of(late.recordFirst(request(key), FIRST, WAIT)))
                                .isEqualTo(replay("winner"));
                        late.rollback();
                    }
                    callers.rollback();
                    callers.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                }
            }
        }
    }

    @Test
    @DisplayName("C30: also where MariaDB's innodb_snapshot_isolation would end the transaction")
    void theWinnerIsFoundUnderSnapshotIsolationToo() throws Exception {
        try (TestSetup.Open open = TestSetup.MARIADB.open()) {
            HikariDataSource pool = open.pool(3);
            for (Duration retention : List.of(Requests.RETENTION, Duration.ofMillis(1))) {
                String key = "kept-" + retention;
                try (Connection callers = pool.getConnection()) {
                    callers.setAutoCommit(false);
                    callers.createStatement().execute("SET innodb_snapshot_isolation = ON");
                    assertThat(TestSetup.countBusiness(callers, "nobody")).isZero();
                    RecordTransaction winner = open.transactional(TransactionSource.of(pool))
                            .build()
                            .begin();
                    winner.recordFirst(
                            request(key), new Settlement(RecordState.SUCCEEDED, null, retention, Duration.ZERO), WAIT);
                    winner.commit();
                    open.backend().passTime(Duration.ofMillis(2));
                    TestSetup.insertBusiness(callers, key);
                    RecordTransaction late = joining(open, callers, pool).begin();
                    ClaimAnswer answer = late.recordFirst(request(key), FIRST, WAIT);
                    if (retention.equals(Requests.RETENTION)) {
                        assertThat(Untimed.of(answer)).isEqualTo(Untimed.noResult(RecordState.SUCCEEDED, false));
                    } else {
                        assertThat(answer).isInstanceOf(ClaimAnswer.Granted.class);
                        late.complete(succeeded("second"));
                    }
                    late.commit();
                    callers.commit();
                    callers.createStatement().execute("SET innodb_snapshot_isolation = OFF");
                }
                assertThat(open.businessRows(key)).isEqualTo(1);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C39: a second request for a key in an open transaction is answered within its budget")
    void aSecondRequestIsAnsweredWithinItsBudget(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            TransactionalRecordStore store =
                    open.transactional(TransactionSource.of(open.pool(4))).build();
            RecordTransaction first = store.begin();
            assertThat(first.recordFirst(request("k"), FIRST, WAIT)).isInstanceOf(ClaimAnswer.Granted.class);
            int asked = 0;
            for (long budget : new long[] {0, 300, 1000}) {
                // MySQL's wait has whole seconds and at least one
                long bound = Math.max(budget, setup.mysqlDialect() ? 1000 : 0) + 1500;
                long took = Long.MAX_VALUE;
                // a slow machine may take longer now and then
                for (int tries = 0; tries < 3 && took >= bound; tries++, asked++) {
                    long began = System.nanoTime();
                    RecordTransaction second = store.begin();
                    ClaimAnswer answer = second.recordFirst(request("k"), FIRST, Duration.ofMillis(budget));
                    TestSetup.insertBusiness(second.unwrap(Connection.class), "usable");
                    second.commit();
                    took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
                    assertThat(answer).isEqualTo(new ClaimAnswer.Held(Duration.ZERO));
                }
                assertThat(took).isLessThan(bound);
            }
            assertThat(open.businessRows("usable")).isEqualTo(asked);
            first.rollback();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C39: two that only want a replay do not hold each other up")
    void twoThatOnlyWantAReplayDoNotHoldEachOtherUp(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            HikariDataSource pool = open.pool(3);
            settled(open, pool, "k", "r");
            TransactionalRecordStore store =
                    open.transactional(TransactionSource.of(pool)).build();
            RecordTransaction one = store.begin();
            assertThat(Untimed.of(one.recordFirst(request("k"), FIRST, Duration.ZERO)))
                    .isEqualTo(replay("r"));
            RecordTransaction two = store.begin();
            ClaimAnswer answer = two.recordFirst(request("k"), FIRST, Duration.ZERO);
            // MySQL has no lock wait of zero, and its first replay has locked the row.
            if (setup.mysqlDialect()) {
                assertThat(Untimed.of(answer)).isIn(replay("r"), new ClaimAnswer.Held(Duration.ZERO));
            } else {
                assertThat(Untimed.of(answer)).isEqualTo(replay("r"));
            }
            one.rollback();
            two.rollback();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C99: 50 requests inside outer transactions on a pool of 10 all finish, and also on a pool of 1")
    void requestsInsideOuterTransactionsTakeNoSecondConnection(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            for (int size : new int[] {10, 1}) {
                HikariDataSource pool = open.pool(size);
                TransactionalRecordStore store = open.transactional(TransactionSource.joining(CURRENT::get, pool))
                        .build();
                List<Boolean> done = Threads.together(50, number -> {
                    try (Connection outer = pool.getConnection()) {
                        outer.setAutoCommit(false);
                        CURRENT.set(outer);
                        String key = size + "-" + number;
                        RecordTransaction joined = store.begin();
                        assertThat(joined.joined()).isTrue();
                        assertThat(joined.recordFirst(request(key), FIRST, WAIT))
                                .isInstanceOf(ClaimAnswer.Granted.class);
                        TestSetup.insertBusiness(outer, "c99");
                        joined.complete(succeeded(key));
                        joined.commit();
                        outer.commit();
                        return true;
                    } finally {
                        CURRENT.remove();
                    }
                });
                assertThat(done).hasSize(50).doesNotContain(false);
                pool.close();
            }
            assertThat(open.businessRows("c99")).isEqualTo(100);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aCallersConnectionInAutoCommitIsRefused(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open();
                Connection callers = open.pool(1, true).getConnection()) {
            TransactionalRecordStore store = joining(open, callers, open.small);
            assertThatThrownBy(store::begin)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aConnectionGoesBackToItsPoolAsItCame(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            Connection connection = open.database.connect();
            TransactionSource source = TransactionSource.of(new OneConnection(connection));
            TransactionalRecordStore store = open.transactional(source).build();
            RecordTransaction rolledBack = store.begin();
            rolledBack.recordFirst(request("k"), FIRST, WAIT);
            rolledBack.rollback();
            assertThat(connection.getAutoCommit()).isTrue();
            RecordTransaction committed = store.begin();
            assertThat(committed.recordFirst(request("k"), FIRST, WAIT)).isInstanceOf(ClaimAnswer.Granted.class);
            committed.commit();
            assertThat(connection.getAutoCommit()).isTrue();
            assertThat(connection.getNetworkTimeout()).isZero();
            connection.close();
        }
    }

    private static ClaimAnswer run(TransactionalRecordStore store, ClaimRequest request, String result) {
        for (int tries = 0; tries < 100; tries++) {
            RecordTransaction transaction = store.begin();
            boolean ended = false;
            try {
                ClaimAnswer answer = transaction.recordFirst(request, FIRST, WAIT);
                if (answer instanceof ClaimAnswer.Granted) {
                    TestSetup.insertBusiness(transaction.unwrap(Connection.class), result);
                    transaction.complete(succeeded(result));
                    ended = true;
                    transaction.commit();
                }
                return answer;
            } catch (TransactionDeadException again) {
                Thread.yield();
            } finally {
                if (!ended) {
                    transaction.rollback();
                }
            }
        }
        throw new AssertionError("100 deadlocks");
    }

    private static void settled(TestSetup.Open open, HikariDataSource pool, String key, String result) {
        TransactionalRecordStore store =
                open.transactional(TransactionSource.of(pool)).build();
        assertThat(run(store, request(key), result)).isInstanceOf(ClaimAnswer.Granted.class);
    }

    private static TransactionalRecordStore joining(TestSetup.Open open, Connection callers, HikariDataSource pool) {
        return open.transactional(TransactionSource.joining(() -> callers, pool))
                .build();
    }

    /** A transaction of the store's own whose snapshot is older than its begin. */
    private record Unjoined(Connection connection) implements JdbcTransaction {
        @Override
        public boolean joined() {
            return false;
        }

        @Override
        public boolean threadBound() {
            return false;
        }

        @Override
        public void commit() throws SQLException {
            connection.commit();
        }

        @Override
        public void rollback() throws SQLException {
            connection.rollback();
        }
    }
}
