package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.TransactionDeadException;
import io.oncegate.core.spi.TransactionalRecordStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Transactions that meet at one key. */
abstract class TransactionalRaceChecks extends TransactionalJoinChecks {
    private static final int RACERS = 64;
    private static final int MOST_TRIES = 1_000;

    @Test
    void whoMeetsAnOpenTransactionIsHeldWithinTheWait() throws Exception {
        Asking asking = Asking.forNewKey();
        RecordTransaction open = store().begin();
        try {
            granted(open, asking);
            for (Asking second : List.of(asking.anew(), asking.anew().payload(Asking.OTHER_PAYLOAD))) {
                ClaimAnswer answer = join(started(() -> rolledBack(
                        twin(), transaction -> transaction.recordFirst(second.request(), FIRST, SHORT_WAIT))));
                assertThat(answer).isInstanceOf(ClaimAnswer.Held.class);
            }
            open.complete(Settling.succeeded("first"));
            open.commit();
        } catch (RuntimeException | Error e) {
            open.rollback();
            throw e;
        }
        assertThat(told(asking)).isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("first"), false));
    }

    @Test
    @DisplayName("C28: a caller's transaction stays usable after it was held")
    void aCallersTransactionStaysUsableAfterItWasHeld() throws Exception {
        Asking asking = Asking.forNewKey();
        String row = newName();
        RecordTransaction open = store().begin();
        try {
            granted(open, asking);
            ClaimAnswer answer = join(started(() -> {
                try (CallerTransaction caller = beginAsCaller()) {
                    RecordTransaction joined = caller.join();
                    insertBusinessRow(joined, row);
                    ClaimAnswer held = joined.recordFirst(asking.anew().request(), FIRST, SHORT_WAIT);
                    insertBusinessRow(joined, row);
                    joined.commit();
                    caller.commit();
                    return held;
                }
            }));
            assertThat(answer).isInstanceOf(ClaimAnswer.Held.class);
        } finally {
            open.rollback();
        }
        assertThat(countBusinessRows(row)).isEqualTo(2);
    }

    @Test
    void whoWaitsForACommitIsGivenItsAnswer() throws Exception {
        assertThat(waitFor(RecordTransaction::commit))
                .isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("first"), false));
    }

    @Test
    void whoWaitsForARollbackIsGranted() throws Exception {
        assertThat(waitFor(RecordTransaction::rollback)).isInstanceOf(ClaimAnswer.Granted.class);
    }

    private ClaimAnswer waitFor(Consumer<RecordTransaction> end) throws Exception {
        Asking asking = Asking.forNewKey();
        RecordTransaction open = store().begin();
        granted(open, asking);
        open.complete(Settling.succeeded("first"));
        CountDownLatch begun = new CountDownLatch(1);
        FutureTask<ClaimAnswer> waiter = started(() -> rolledBack(twin(), transaction -> {
            begun.countDown();
            return recordFirst(transaction, asking.anew());
        }));
        begun.await();
        end.accept(open);
        return join(waiter);
    }

    @Test
    @DisplayName("C29, C40: of 64 racers one runs, all others get its answer, and nobody sees a deadlock")
    void ofManyRacersOneRunsAndAllOthersGetItsAnswer() {
        Asking asking = Asking.forNewKey();
        String row = newName();
        List<ClaimAnswer> answers = DuplicateStorm.of(
                        RACERS, Polling.longLimit(), copy -> () -> runOrLearn(handle(copy), asking.anew(), row))
                .allReturned();
        isOneRunAndItsReplays(answers, row);
    }

    @Test
    @DisplayName("C29: when the winner rolls back under many waiters, exactly one of them runs")
    void whenTheWinnerRollsBackExactlyOneWaiterRuns() {
        for (int round = 0; round < 5; round++) {
            Asking asking = Asking.forNewKey();
            String row = newName();
            RecordTransaction first = store().begin();
            granted(first, asking);
            CountDownLatch waiting = new CountDownLatch(8);
            FutureTask<StormReport<ClaimAnswer>> storm =
                    started(() -> DuplicateStorm.of(8, Polling.longLimit(), copy -> () -> {
                        waiting.countDown();
                        return runOrLearn(handle(copy), asking.anew(), row);
                    }));
            try {
                waiting.await();
                first.rollback();
                isOneRunAndItsReplays(join(storm).allReturned(), row);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    @DisplayName("C29: neighbouring keys in shuffled order: each runs once")
    void neighbouringKeysInShuffledOrderEachRunOnce() {
        int keys = 40;
        String run = newName();
        DuplicateStorm.of(8, Polling.longLimit(), copy -> () -> {
                    List<Integer> order = new ArrayList<>();
                    for (int key = 0; key < keys; key++) {
                        order.add(key);
                    }
                    Collections.shuffle(order, new Random(copy));
                    for (int key : order) {
                        String row = run + "-" + key;
                        runOrLearn(handle(copy), Asking.forKey(row), row);
                    }
                    return copy;
                })
                .allReturned();
        for (int key = 0; key < keys; key++) {
            assertThat(countBusinessRows(run + "-" + key)).isEqualTo(1);
        }
    }

    private void isOneRunAndItsReplays(List<ClaimAnswer> answers, String row) {
        assertThat(answers.stream().filter(ClaimAnswer.Granted.class::isInstance))
                .hasSize(1);
        assertThat(answers.stream().filter(answer -> !(answer instanceof ClaimAnswer.Granted)))
                .allMatch(Untimed.replay(RecordState.SUCCEEDED, Settling.payload(row), false)::equals);
        assertThat(countBusinessRows(row)).isEqualTo(1);
    }

    /** Runs the operation, or is told its answer; begins again as long as it is held or its transaction is ended. */
    private ClaimAnswer runOrLearn(TransactionalRecordStore store, Asking asking, String row) {
        for (int attempt = 0; attempt < MOST_TRIES; attempt++) {
            RecordTransaction transaction = store.begin();
            boolean committed = false;
            try {
                ClaimAnswer answer = recordFirst(transaction, asking);
                if (answer instanceof ClaimAnswer.Granted) {
                    insertBusinessRow(transaction, row);
                    transaction.complete(Settling.succeeded(row));
                    committed = true;
                    transaction.commit();
                    return answer;
                }
                if (!(answer instanceof ClaimAnswer.Held)) {
                    return answer;
                }
            } catch (TransactionDeadException again) {
                Thread.yield();
            } finally {
                if (!committed) {
                    transaction.rollback();
                }
            }
        }
        throw new AssertionError("held or ended " + MOST_TRIES + " times");
    }

    private TransactionalRecordStore handle(int copy) {
        return copy % 2 == 0 ? store() : twin();
    }

    private static <T> FutureTask<T> started(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "second-transaction");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static <T> T join(FutureTask<T> task) throws InterruptedException, TimeoutException {
        try {
            return task.get(Polling.longLimit().toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("the second transaction failed", e.getCause());
        }
    }
}
