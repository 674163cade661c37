package io.oncegate.testkit;

import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.spi.ClaimRef;
import java.time.Duration;

/** Ways to bring a lock into each row of the table. */
enum LockScene {
    ABSENT,
    HELD,
    HELD_IN_WINDOW,
    HELD_PAST_WINDOW,
    LEASE_OVER,
    LEASE_OVER_IN_WINDOW,
    COMPLETED,
    COMPLETED_IN_WINDOW,
    COMPLETED_PAST_WINDOW,
    RELEASED,
    RELEASED_IN_WINDOW,
    PASSED_ON;

    private static final Duration WELL_PAST = Duration.ofMillis(10);

    /**
     * A lock in its row.
     *
     * @param asking the request of its holder
     * @param holder the acquisition; an invented one where there is none
     * @param present the acquisition that holds it now: the same, unless it was passed on
     */
    record Scene(LockAsking asking, ClaimRef holder, ClaimRef present) {
        Scene(LockAsking asking, ClaimRef holder) {
            this(asking, holder, holder);
        }
    }

    /** Brings a new lock there. */
    Scene set(LockStore store, StoreBackend backend) {
        LockAsking asking = LockAsking.forNewKey();
        return switch (this) {
            case ABSENT -> new Scene(asking, asking.ref(backend.storeTimeMicros() - 1));
            case HELD -> new Scene(asking, asking.grantedAt(store));
            case HELD_IN_WINDOW -> held(asking.window(LockAsking.LONG), store);
            case HELD_PAST_WINDOW -> later(held(asking.window(LockAsking.SHORT), store), backend);
            case LEASE_OVER -> later(held(asking.lease(LockAsking.SHORT), store), backend);
            case LEASE_OVER_IN_WINDOW ->
                later(held(asking.lease(LockAsking.SHORT).window(LockAsking.LONG), store), backend);
            case COMPLETED -> ended(held(asking, store), LockEnding.COMPLETED, store);
            case COMPLETED_IN_WINDOW -> ended(held(asking.window(LockAsking.LONG), store), LockEnding.COMPLETED, store);
            case COMPLETED_PAST_WINDOW ->
                later(ended(held(asking.window(LockAsking.SHORT), store), LockEnding.COMPLETED, store), backend);
            case RELEASED -> ended(held(asking, store), LockEnd.released(), store);
            case RELEASED_IN_WINDOW -> ended(held(asking.window(LockAsking.LONG), store), LockEnd.released(), store);
            case PASSED_ON -> {
                ClaimRef first = asking.grantedAt(store);
                LockAsking next = asking.anew();
                yield new Scene(
                        asking,
                        first,
                        next.ref(store.pass(first, next.request()).orElseThrow()));
            }
        };
    }

    private static Scene held(LockAsking asking, LockStore store) {
        return new Scene(asking, asking.grantedAt(store));
    }

    private static Scene ended(Scene scene, LockEnd end, LockStore store) {
        LockEnding.done(store, scene.holder(), end);
        return scene;
    }

    private static Scene later(Scene scene, StoreBackend backend) {
        backend.passTime(WELL_PAST);
        return scene;
    }
}
