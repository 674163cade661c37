package io.oncegate.testkit;

import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Ways to bring a key's record into each row of the table. */
enum TableScene {
    ABSENT(RecordRow.ABSENT),
    FREE(RecordRow.FREE),
    RUNNING(RecordRow.RUNNING),
    LEASE_OVER(RecordRow.LEASE_OVER),
    LEASE_OVER_FOR_A_RETENTION(RecordRow.LEASE_OVER_FOR_A_RETENTION),
    SUCCEEDED(RecordRow.SETTLED_WITH_RESULT),
    REFUSED(RecordRow.SETTLED_WITH_RESULT),
    RESULT_DROPPED(RecordRow.SETTLED_WITHOUT_RESULT),
    RESULT_NEVER_STORABLE(RecordRow.SETTLED_WITHOUT_RESULT),
    REFUSED_WITHOUT_RESULT(RecordRow.SETTLED_WITHOUT_RESULT),
    PAST_RETENTION(RecordRow.SETTLED_PAST_RETENTION),
    UNKNOWN(RecordRow.UNKNOWN),
    UNKNOWN_FOR_A_WHILE(RecordRow.UNKNOWN),
    RECONCILING(RecordRow.UNKNOWN),
    RECONCILER_GONE(RecordRow.UNKNOWN);

    private static final Duration WELL_PAST = Duration.ofMillis(10);

    private final RecordRow row;

    TableScene(RecordRow row) {
        this.row = row;
    }

    RecordRow row() {
        return row;
    }

    /**
     * A record in its row.
     *
     * @param asking the request that it belongs to
     * @param holder the newest claim; an invented one where there is none
     * @param outcome what it was settled with, or null
     */
    record Scene(Asking asking, ClaimRef holder, @Nullable Settlement outcome) {
        /** What the record says after its holder has sent this settlement, or sent it again. */
        Settlement outcomeOr(Settlement settlement) {
            return outcome == null ? settlement : outcome;
        }
    }

    /** Brings a new key's record there. */
    Scene set(RecordStore store, StoreBackend backend) {
        Asking asking = Asking.forNewKey();
        return switch (this) {
            case ABSENT -> new Scene(asking, asking.ref(backend.storeTimeMicros() - 1), null);
            case FREE -> {
                ClaimRef holder = asking.grantedAt(store);
                store.release(holder);
                yield new Scene(asking, holder, null);
            }
            case RUNNING -> new Scene(asking, asking.grantedAt(store), null);
            case LEASE_OVER -> abandoned(asking.lease(Asking.SHORT), store, backend);
            case LEASE_OVER_FOR_A_RETENTION ->
                abandoned(asking.lease(Asking.SHORT).retention(Asking.SHORT), store, backend);
            case SUCCEEDED -> settled(asking, Settling.succeeded("first answer"), store);
            case REFUSED -> settled(asking, Settling.refused("sold out"), store);
            case RESULT_DROPPED -> {
                Scene scene = settled(
                        asking, Settling.succeeded(Settling.payload("short-lived"), Asking.LONG, Asking.SHORT), store);
                backend.passTime(WELL_PAST);
                yield new Scene(asking, scene.holder(), Settling.withoutResult(RecordState.SUCCEEDED));
            }
            case RESULT_NEVER_STORABLE -> settled(asking, Settling.withoutResult(RecordState.SUCCEEDED), store);
            case REFUSED_WITHOUT_RESULT -> settled(asking, Settling.withoutResult(RecordState.REFUSED), store);
            case PAST_RETENTION -> {
                Scene scene =
                        settled(asking, Settling.succeeded(Settling.payload("old"), Asking.SHORT, Asking.SHORT), store);
                backend.passTime(WELL_PAST);
                yield scene;
            }
            case UNKNOWN -> settled(asking, Settling.unknown(), store);
            case UNKNOWN_FOR_A_WHILE -> settled(asking, Settling.unknown(Asking.LONG), store);
            case RECONCILING -> reconciling(asking, Asking.LONG, store);
            case RECONCILER_GONE -> {
                Scene scene = reconciling(asking, Asking.SHORT, store);
                backend.passTime(WELL_PAST);
                yield scene;
            }
        };
    }

    private static Scene abandoned(Asking asking, RecordStore store, StoreBackend backend) {
        ClaimRef holder = asking.grantedAt(store);
        backend.passTime(WELL_PAST);
        return new Scene(asking, holder, null);
    }

    private static Scene settled(Asking asking, Settlement settlement, RecordStore store) {
        ClaimRef holder = asking.grantedAt(store);
        store.settle(holder, settlement);
        return new Scene(asking, holder, settlement);
    }

    private static Scene reconciling(Asking asking, Duration lease, RecordStore store) {
        settled(asking, Settling.unknown(), store);
        Asking reconciler = asking.by(AttemptId.random()).lease(lease);
        return new Scene(reconciler, reconciler.reconcilingAt(store), null);
    }
}
