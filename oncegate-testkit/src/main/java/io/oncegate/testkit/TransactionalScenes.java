package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.TransactionalRecordStore;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Function;

/** What the tests of a {@link TransactionalRecordStoreContract} have in common. */
abstract class TransactionalScenes extends TransactionalRecordStoreFixture {
    /** Long enough that a test which waits for it has failed. */
    static final Duration LONG_WAIT = Duration.ofSeconds(30);

    static final Duration SHORT_WAIT = Duration.ofMillis(200);
    static final Duration WELL_PAST = Duration.ofMillis(10);

    /** What the record says until it is completed. */
    static final Settlement FIRST = Settling.withoutResult(RecordState.SUCCEEDED);

    static String newName() {
        return "row-" + UUID.randomUUID();
    }

    static ClaimAnswer recordFirst(RecordTransaction transaction, Asking asking) {
        return Untimed.of(transaction.recordFirst(asking.request(), FIRST, LONG_WAIT));
    }

    static long granted(RecordTransaction transaction, Asking asking) {
        ClaimAnswer answer = recordFirst(transaction, asking);
        assertThat(answer).isInstanceOf(ClaimAnswer.Granted.class);
        return ((ClaimAnswer.Granted) answer).fence();
    }

    /** Does something in a transaction of its own and rolls it back: looks without leaving a trace. */
    static <T> T rolledBack(TransactionalRecordStore store, Function<RecordTransaction, T> work) {
        RecordTransaction transaction = store.begin();
        try {
            return work.apply(transaction);
        } finally {
            transaction.rollback();
        }
    }

    /** Does something in a transaction of its own and commits it. */
    static <T> T committed(TransactionalRecordStore store, Function<RecordTransaction, T> work) {
        RecordTransaction transaction = store.begin();
        T result;
        try {
            result = work.apply(transaction);
        } catch (RuntimeException | Error e) {
            transaction.rollback();
            throw e;
        }
        transaction.commit();
        return result;
    }

    /** What a new attempt is told; nothing is left of it. */
    ClaimAnswer told(Asking asking) {
        return told(twin(), asking.anew());
    }

    static ClaimAnswer told(TransactionalRecordStore store, Asking asking) {
        return rolledBack(store, transaction -> recordFirst(transaction, asking));
    }

    /** Runs a whole operation: record, business row, outcome, commit. */
    long run(TransactionalRecordStore store, Asking asking, String row, Settlement settlement) {
        return committed(store, transaction -> {
            long fence = granted(transaction, asking);
            transaction.savepoint();
            insertBusinessRow(transaction, row);
            transaction.complete(settlement);
            return fence;
        });
    }
}
