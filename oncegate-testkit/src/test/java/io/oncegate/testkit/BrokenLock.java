package io.oncegate.testkit;

/**
 * A guard of lock stores, and a store that breaks it.
 *
 * @param guard what has to hold
 * @param change what the broken store does instead
 * @param byHistories whether random histories have to find it too
 * @param mutant the broken store's decisions
 */
record BrokenLock(String guard, String change, boolean byHistories, LockMutant mutant) {
    static BrokenLock anywhere(String guard, String change, LockMutant mutant) {
        return new BrokenLock(guard, change, true, mutant);
    }

    static BrokenLock written(String guard, String change, LockMutant mutant) {
        return new BrokenLock(guard, change, false, mutant);
    }

    @Override
    public String toString() {
        return guard + ": " + change;
    }
}
