package io.oncegate.redis;

/**
 * What a Redis does when its memory is full. Records, locks and tokens carry a time to live, so that every policy but
 * {@code noeviction} may remove them before their time: an effect is then guarded by the data gate alone.
 */
public sealed interface EvictionPolicy {
    /**
     * The policy is known.
     *
     * @param name as Redis spells it; in a cluster the one of a master that evicts, if any does
     */
    record Known(String name) implements EvictionPolicy {}

    /**
     * The policy could not be read, so that nobody knows.
     *
     * @param reason why
     */
    record Unreadable(String reason) implements EvictionPolicy {}

    /** Whether it is certain that nothing is removed before its time. */
    default boolean keepsEverything() {
        return this instanceof Known known && known.name().equals("noeviction");
    }
}
