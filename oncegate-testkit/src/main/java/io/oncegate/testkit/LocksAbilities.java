package io.oncegate.testkit;

import java.time.Duration;

/**
 * What locks can do beyond mutual exclusion, and what they can be asked for in a test's time. A contract asks for it, so
 * that the author of new locks has to answer.
 *
 * @param leases whether a lock is held for the lease of its options; else a session stands for it, and no lease counts
 * @param windows whether a lock can refuse others for a window; else such options are refused with {@link
 *     IllegalArgumentException}
 * @param results whether an acquisition can take the winner's result; else such options are refused as well
 * @param outlastsOutages whether a lock is kept through an outage that is shorter than its lease; else it counts as lost
 *     as soon as an outage is noticed
 * @param deadHolderLasts how long a dead process's lock lasts at most, if its lease was {@link LocksContract#SHORT_LEASE}
 * @param leftOversLast how long the backend keeps something of a lock that has ended at most; zero if nothing stays
 * @param manyKeys how many keys are held at once: 500, fewer where it takes long
 * @param rounds how often each of eight threads acquires a lock in the fuzz: 100, fewer where it takes long
 */
public record LocksAbilities(
        boolean leases,
        boolean windows,
        boolean results,
        boolean outlastsOutages,
        Duration deadHolderLasts,
        Duration leftOversLast,
        int manyKeys,
        int rounds) {}
