package io.oncegate.testkit;

import java.time.Duration;

/**
 * What a lock store can do beyond its atomic steps, and what it can be asked for in a test's time. A contract asks for it,
 * so that the author of a new store has to answer.
 *
 * @param signals whether {@code watch} tells of locks that have become free; a store without it gives null
 * @param maxResultBytes the largest result that the store takes
 * @param sweepMargin how far the store's time has to have passed a fence before its lock may go; it may stay for as long
 *     again; to be configured short for the contract, about 20 ms
 * @param manyLocks how many locks are held at once: 2,000, fewer on a slow store
 * @param races how many rounds of 16 threads that race for one lock
 */
public record LockStoreAbilities(boolean signals, int maxResultBytes, Duration sweepMargin, int manyLocks, int races) {}
