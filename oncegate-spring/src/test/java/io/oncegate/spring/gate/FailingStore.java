package io.oncegate.spring.gate;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;

/** A store that a test takes down. */
public final class FailingStore implements RecordStore {
    private final RecordStore store;
    private volatile boolean claims;
    private volatile boolean settles;

    public FailingStore(RecordStore store) {
        this.store = store;
    }

    public void failClaims(boolean fail) {
        claims = fail;
    }

    public void failSettles(boolean fail) {
        settles = fail;
    }

    public void heal() {
        claims = false;
        settles = false;
    }

    private void check(boolean fails) {
        if (fails) {
            throw new StoreUnavailableException(name(), "taken down; start it again", null);
        }
    }

    @Override
    public String name() {
        return "failing";
    }

    @Override
    public ClaimAnswer claim(ClaimRequest request) {
        check(claims);
        return store.claim(request);
    }

    @Override
    public HolderAnswer renew(ClaimRef claim, Duration lease) {
        check(settles);
        return store.renew(claim, lease);
    }

    @Override
    public HolderAnswer settle(ClaimRef claim, Settlement settlement) {
        check(settles);
        return store.settle(claim, settlement);
    }

    @Override
    public HolderAnswer release(ClaimRef claim) {
        check(settles);
        return store.release(claim);
    }
}
