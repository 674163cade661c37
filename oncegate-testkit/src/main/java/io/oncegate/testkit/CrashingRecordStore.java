package io.oncegate.testkit;

import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;

/** A store with points around its calls. */
final class CrashingRecordStore implements RecordStore {
    private final RecordStore store;
    private final CrashPoints points;

    CrashingRecordStore(RecordStore store, CrashPoints points) {
        this.store = store;
        this.points = points;
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public ClaimAnswer claim(ClaimRequest request) {
        points.reach(CrashPoint.BEFORE_CLAIM);
        ClaimAnswer answer = store.claim(request);
        points.reach(CrashPoint.AFTER_CLAIM);
        return answer;
    }

    @Override
    public HolderAnswer renew(ClaimRef claim, Duration lease) {
        points.reach(CrashPoint.BEFORE_RENEW);
        HolderAnswer answer = store.renew(claim, lease);
        points.reach(CrashPoint.AFTER_RENEW);
        return answer;
    }

    @Override
    public HolderAnswer settle(ClaimRef claim, Settlement settlement) {
        points.reach(CrashPoint.BEFORE_SETTLE);
        HolderAnswer answer = store.settle(claim, settlement);
        points.reach(CrashPoint.AFTER_SETTLE);
        return answer;
    }

    @Override
    public HolderAnswer release(ClaimRef claim) {
        points.reach(CrashPoint.BEFORE_RELEASE);
        HolderAnswer answer = store.release(claim);
        points.reach(CrashPoint.AFTER_RELEASE);
        return answer;
    }
}
