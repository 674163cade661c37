package io.oncegate.jdbc;

import static io.oncegate.jdbc.Requests.FIRST;
import static io.oncegate.jdbc.Requests.granted;
import static io.oncegate.jdbc.Requests.request;
import static io.oncegate.jdbc.Requests.succeeded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.TransactionalRecordStore;
import io.oncegate.testkit.Untimed;
import io.oncegate.testsupport.Await;
import java.sql.Connection;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A line that freezes or loses replies, a row that somebody keeps locked, a thread that is interrupted; all at once, for they
 * wait most of their time. */
@Execution(ExecutionMode.CONCURRENT)
class JdbcFaultsIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long BOUND = Duration.ofSeconds(20).toNanos();

    static Stream<TestSetup> servers() {
        return TestSetup.KINDS.stream().filter(setup -> setup != TestSetup.H2);
    }

    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    /** For what has to succeed on a slow machine too. */
    private static JdbcRecordStore patient(TestSetup.Open open, HikariDataSource pool) {
        return open.store(pool).timeout(PATIENCE).build();
    }

    @ParameterizedTest
    @MethodSource("servers")
    void aFrozenLineEndsInATypedErrorInBoundedTime(TestSetup setup) {
        try (TestSetup.Open open = setup.open();
                Line line = new Line(open)) {
            JdbcRecordStore store = open.store(line.pool).timeout(TIMEOUT).build();
            ClaimRef claim = granted(patient(open, line.pool), request("k"));
            line.fault.freeze();
            long began = System.nanoTime();
            assertThatThrownBy(() -> store.settle(claim, succeeded("r")))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageStartingWith("store jdbc:oncegate_record: a settling ")
                    .hasMessageNotContaining("order.create")
                    .hasCauseInstanceOf(java.sql.SQLException.class);
            assertThat(System.nanoTime() - began).isLessThan(BOUND);
            line.fault.unfreeze();
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void aClaimWhoseReplyWasLostIsItsOwnWhenSentAgain(TestSetup setup) {
        try (TestSetup.Open open = setup.open();
                Line line = new Line(open)) {
            JdbcRecordStore store = open.store(line.pool).timeout(TIMEOUT).build();
            JdbcRecordStore healthy = open.store(open.pool(1)).build();
            granted(patient(open, line.pool), request("warm"));
            ClaimRequest request = request("k");
            line.fault.loseReplies();
            assertThatThrownBy(() -> store.claim(request)).isInstanceOf(StoreUnavailableException.class);
            Await.until(
                    "it has come through",
                    PATIENCE,
                    () -> healthy.find(Requests.id("k")).isPresent());
            assertThat(healthy.claim(request("k"))).isInstanceOf(ClaimAnswer.Held.class);
            ClaimRef claim = granted(healthy, request);
            assertThat(healthy.settle(claim, succeeded("r"))).isEqualTo(HolderAnswer.DONE);
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void aCommitWhoseReplyWasLostIsFoundByRecordingAgain(TestSetup setup) {
        try (TestSetup.Open open = setup.open();
                Line line = new Line(open)) {
            TransactionalRecordStore store = open.transactional(TransactionSource.of(line.pool))
                    .timeout(TIMEOUT.multipliedBy(3))
                    .build();
            ClaimRequest request = request("k");
            RecordTransaction transaction = store.begin();
            transaction.recordFirst(request, FIRST, Duration.ZERO);
            TestSetup.insertBusiness(transaction.unwrap(Connection.class), "b");
            transaction.complete(succeeded("r"));
            line.fault.loseReplies();
            assertThatThrownBy(transaction::commit).isInstanceOf(StoreUnavailableException.class);
            RecordTransaction again = open.transactional(TransactionSource.of(open.pool(1)))
                    .build()
                    .begin();
            assertThat(Untimed.of(again.recordFirst(request, FIRST, Duration.ofSeconds(20))))
                    .isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Requests.payload("r"), true));
            again.rollback();
            assertThat(open.businessRows("b")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aRowThatSomebodyKeepsLockedEndsInATypedErrorInBoundedTime(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open();
                Connection locker = open.database.connect()) {
            HikariDataSource pool = open.pool(1);
            JdbcRecordStore store = open.store(pool).timeout(TIMEOUT).build();
            ClaimRef claim = granted(patient(open, pool), request("k"));
            locker.setAutoCommit(false);
            try (var statement = locker.prepareStatement("UPDATE oncegate_record SET retention = 7 WHERE id = ?")) {
                statement.setBytes(1, claim.id().toBytes());
                statement.executeUpdate();
            }
            long began = System.nanoTime();
            assertThatThrownBy(() -> store.settle(claim, succeeded("r")))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("send the request again");
            assertThat(System.nanoTime() - began).isLessThan(BOUND);
            locker.rollback();
            assertThat(patient(open, pool).settle(claim, succeeded("r"))).isEqualTo(HolderAnswer.DONE);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void anInterruptedCallSaysSoAndLeavesTheThreadInterrupted(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            JdbcRecordStore store = open.store(open.pool(1)).build();
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> store.claim(request("k"))).isInstanceOf(StoreUnavailableException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(store.claim(request("k"))).isInstanceOf(ClaimAnswer.Granted.class);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aPoolThatHasNoConnectionLeftIsATypedError(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            HikariDataSource pool =
                    TestSetup.Open.pool(open.database, open.database.url(), 1, true, Duration.ofSeconds(1));
            JdbcRecordStore store = open.store(pool).build();
            TransactionalRecordStore transactional =
                    open.transactional(TransactionSource.of(pool)).build();
            try (Connection taken = pool.getConnection()) {
                long began = System.nanoTime();
                assertThatThrownBy(() -> store.claim(request("k"))).isInstanceOf(StoreUnavailableException.class);
                assertThatThrownBy(transactional::begin).isInstanceOf(StoreUnavailableException.class);
                assertThat(System.nanoTime() - began).isLessThan(BOUND);
                assertThat(taken.isClosed()).isFalse();
            }
            pool.close();
        }
    }
}
