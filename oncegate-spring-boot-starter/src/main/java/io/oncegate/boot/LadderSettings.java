package io.oncegate.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties under {@code oncegate.ladder}.
 *
 * @param enabled whether there is a ladder; by default where there are Redis and a same-transaction engine's database
 * @param nearCache a cache of settled results in this process, in front of Redis
 */
public record LadderSettings(
        @Nullable Boolean enabled, @DefaultValue NearCacheSettings nearCache) {
    /** Checks that the near cache has something to stand in front of. */
    public LadderSettings {
        if (Boolean.FALSE.equals(enabled) && nearCache.enabled()) {
            throw new IllegalArgumentException(
                    "oncegate.ladder.near-cache.enabled wants a cache in front of a ladder that oncegate.ladder.enabled"
                            + " switches off; take one of them away");
        }
    }

    /**
     * The properties under {@code oncegate.ladder.near-cache}.
     *
     * @param enabled whether there is one
     * @param maxStaleness how long an answer is kept at most, and so how late a forget elsewhere is seen; 1 ms to 1 h
     * @param maxSize how many bytes all answers may take together
     */
    public record NearCacheSettings(
            @DefaultValue("false") boolean enabled,
            @Nullable Duration maxStaleness,
            @Nullable DataSize maxSize) {}
}
