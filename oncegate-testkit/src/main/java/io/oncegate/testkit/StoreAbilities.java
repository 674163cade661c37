package io.oncegate.testkit;

import java.time.Duration;

/**
 * What a store can do beyond the four transitions. A contract asks for it, so that the author of a new store has to
 * answer.
 *
 * @param browses whether {@link RecordStoreContract#browser()} can list and forget records
 * @param purges whether {@link RecordStoreContract#purger()} can sweep them
 * @param sweepsByItself whether the backend drops what has expired without being asked
 * @param survivesRestart whether a restart of the backend loses no record; tried where the backend is a {@link
 *     RestartableBackend}
 * @param maxResultBytes the largest result that the store takes
 * @param sweepMargin how far the store's time has to have passed a fence before its record may go; it may
 *     stay for as long again; to be configured short for the contract, about 20 ms
 */
public record StoreAbilities(
        boolean browses,
        boolean purges,
        boolean sweepsByItself,
        boolean survivesRestart,
        int maxResultBytes,
        Duration sweepMargin) {}
