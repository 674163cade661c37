package io.oncegate.testkit;

import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;

/**
 * A store that fails when told: a call that never arrives, a reply that is lost after the call took effect, a call that
 * takes long, or a store that is down. Thread-safe.
 */
public final class FaultyRecordStore implements RecordStore {
    private final CrashPoints points = new CrashPoints();
    private final RecordStore store;
    private volatile boolean down;

    /** The calls of a store. */
    public enum Method {
        /** {@link RecordStore#claim}. */
        CLAIM(CrashPoint.BEFORE_CLAIM, CrashPoint.AFTER_CLAIM),
        /** {@link RecordStore#renew}. */
        RENEW(CrashPoint.BEFORE_RENEW, CrashPoint.AFTER_RENEW),
        /** {@link RecordStore#settle}. */
        SETTLE(CrashPoint.BEFORE_SETTLE, CrashPoint.AFTER_SETTLE),
        /** {@link RecordStore#release}. */
        RELEASE(CrashPoint.BEFORE_RELEASE, CrashPoint.AFTER_RELEASE);

        private final CrashPoint before;
        private final CrashPoint after;

        Method(CrashPoint before, CrashPoint after) {
            this.before = before;
            this.after = after;
        }
    }

    /** A store that does not fail yet. */
    public FaultyRecordStore(RecordStore store) {
        this.store = points.around(store);
    }

    /** The next calls of this method, as many, never arrive. */
    public void fail(Method method, int times) {
        points.fail(method.before, times);
    }

    /** The next call of this method never arrives. */
    public void failNext(Method method) {
        fail(method, 1);
    }

    /** The next calls of this method, as many, take effect, and their replies are lost. */
    public void loseReplies(Method method, int times) {
        points.fail(method.after, times);
    }

    /** The next call of this method takes effect, and its reply is lost. */
    public void loseNextReply(Method method) {
        loseReplies(method, 1);
    }

    /** The next call of this method waits before it is sent. */
    public Blockade pauseNext(Method method) {
        return points.block(method.before);
    }

    /** The next call of this method takes effect, and its reply waits. */
    public Blockade pauseNextReply(Method method) {
        return points.block(method.after);
    }

    /** Whether no call arrives at all. */
    public void down(boolean isDown) {
        this.down = isDown;
    }

    /** Fails no more. */
    public void heal() {
        down = false;
        points.clear();
    }

    /** How often this method was called, with or without success. */
    public int calls(Method method) {
        return points.passed(method.before);
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public ClaimAnswer claim(ClaimRequest request) {
        failIfDown(Method.CLAIM);
        return store.claim(request);
    }

    @Override
    public HolderAnswer renew(ClaimRef claim, Duration lease) {
        failIfDown(Method.RENEW);
        return store.renew(claim, lease);
    }

    @Override
    public HolderAnswer settle(ClaimRef claim, Settlement settlement) {
        failIfDown(Method.SETTLE);
        return store.settle(claim, settlement);
    }

    @Override
    public HolderAnswer release(ClaimRef claim) {
        failIfDown(Method.RELEASE);
        return store.release(claim);
    }

    private void failIfDown(Method method) {
        if (down) {
            points.refuse(method.before);
        }
    }
}
