package io.oncegate.caffeine;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * A record store behind a near cache of settled results, which answers repetitions without asking the store. Thread-safe.
 *
 * <ol>
 *   <li>A claim for a record that is in the cache, and was settled for the same fingerprint, is answered by the cache. Any
 *       other claim asks the store; so another payload is always refused by the store, and an attempt that has settled is
 *       told by the store whether it was the one.
 *   <li>A claim that the store answers with a settled record puts it into the cache, for the shorter of the longest
 *       staleness and the time that the store says the answer is good for, both counted from before the store was asked.
 *       Records that run, are unknown or are free are never kept.
 *   <li>A settling, release or forget through this instance takes the record out of the cache before and after the store is
 *       asked, and an answer that was read meanwhile is not kept.
 * </ol>
 *
 * <p>What others do to a settled record (a forget elsewhere, a store that loses all) is seen here after the longest
 * staleness. A settled record does not change otherwise, so nothing else can be stale. The cache is bounded by the bytes of
 * fingerprints and results; what does not fit is asked for again.
 */
public final class CachedRecordStore implements RecordStore, RecordBrowser {
    /** How long an answer is kept at most, unless said otherwise. */
    public static final Duration DEFAULT_MAX_STALENESS = Duration.ofSeconds(10);

    /** The longest staleness that can be said. */
    public static final Duration LONGEST_STALENESS = Duration.ofHours(1);

    /** How many bytes all answers may take together, unless said otherwise. */
    public static final long DEFAULT_MAX_BYTES = 16L * 1024 * 1024;

    private static final int STRIPES = 256;
    private static final int SETTLERS = 4096;

    private final RecordStore store;
    private final RecordBrowser browser;
    private final Duration maxStaleness;
    private final Ticker ticker;
    private final Cache<RecordId, Kept> cache;
    /** The last attempts that have settled here: only the store can tell them whether it was they. */
    private final Cache<AttemptId, Boolean> settlers =
            Caffeine.newBuilder().maximumSize(SETTLERS).build();

    private final AtomicIntegerArray changes = new AtomicIntegerArray(STRIPES);

    private CachedRecordStore(
            RecordStore store, RecordBrowser browser, Duration maxStaleness, long maxBytes, Ticker ticker) {
        if (maxStaleness.compareTo(Duration.ofMillis(1)) < 0 || maxStaleness.compareTo(LONGEST_STALENESS) > 0) {
            throw new IllegalArgumentException(
                    "the staleness of a near cache is 1 ms to " + LONGEST_STALENESS + ", not " + maxStaleness);
        }
        if (maxBytes < 1) {
            throw new IllegalArgumentException("a near cache has room for a byte or more, not " + maxBytes);
        }
        this.store = store;
        this.browser = browser;
        this.maxStaleness = maxStaleness;
        this.ticker = ticker;
        this.cache = Caffeine.newBuilder()
                .maximumWeight(maxBytes)
                .weigher(Kept.WEIGHER)
                .expireAfter(Kept.EXPIRY)
                .ticker(ticker)
                .build();
    }

    /** A near cache with the default bounds. */
    public static <S extends RecordStore & RecordBrowser> CachedRecordStore of(S store) {
        return of(store, DEFAULT_MAX_STALENESS, DEFAULT_MAX_BYTES);
    }

    /**
     * A near cache.
     *
     * @param maxStaleness how long an answer is kept at most, 1 ms to {@link #LONGEST_STALENESS}
     * @param maxBytes how many bytes all answers may take together, 1 or more
     */
    public static <S extends RecordStore & RecordBrowser> CachedRecordStore of(
            S store, Duration maxStaleness, long maxBytes) {
        return of(store, maxStaleness, maxBytes, Ticker.systemTicker());
    }

    static <S extends RecordStore & RecordBrowser> CachedRecordStore of(
            S store, Duration maxStaleness, long maxBytes, Ticker ticker) {
        return new CachedRecordStore(store, store, maxStaleness, maxBytes, ticker);
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public ClaimAnswer claim(ClaimRequest request) {
        long now = ticker.read();
        Kept kept = cache.getIfPresent(request.id());
        if (kept != null
                && kept.until() - now > 0
                && kept.fingerprint().equals(request.fingerprint())
                && settlers.getIfPresent(request.attempt()) == null) {
            return kept.answer(now);
        }
        int before = changes.get(stripe(request.id()));
        ClaimAnswer answer = store.claim(request);
        Kept read = Kept.of(request.fingerprint(), answer, now, maxStaleness);
        if (read != null) {
            keep(request.id(), read, before);
        }
        return answer;
    }

    private void keep(RecordId id, Kept read, int before) {
        if (changes.get(stripe(id)) == before) {
            cache.put(id, read);
            if (changes.get(stripe(id)) != before) {
                cache.invalidate(id); // changed between the two: what was put may be older than the change
            }
        }
    }

    private static int stripe(RecordId id) {
        return Math.floorMod(id.hashCode(), STRIPES);
    }

    private void changed(RecordId id) {
        changes.incrementAndGet(stripe(id));
        cache.invalidate(id);
    }

    @Override
    public HolderAnswer renew(ClaimRef claim, Duration lease) {
        return store.renew(claim, lease);
    }

    @Override
    public HolderAnswer settle(ClaimRef claim, Settlement settlement) {
        settlers.put(claim.attempt(), Boolean.TRUE);
        changed(claim.id());
        try {
            return store.settle(claim, settlement);
        } finally {
            changed(claim.id());
        }
    }

    @Override
    public HolderAnswer release(ClaimRef claim) {
        changed(claim.id());
        try {
            return store.release(claim);
        } finally {
            changed(claim.id());
        }
    }

    @Override
    public ForgetAnswer forget(RecordId id) {
        changed(id);
        try {
            return browser.forget(id);
        } finally {
            changed(id);
        }
    }

    /** Whether the cache would answer, after what is over its bound has gone. */
    boolean kept(RecordId id) {
        cache.cleanUp();
        return cache.getIfPresent(id) != null;
    }

    @Override
    public Page browse(Query query) {
        return browser.browse(query);
    }

    @Override
    public Optional<Entry> find(RecordId id) {
        return browser.find(id);
    }
}
