package io.oncegate.testkit;

/**
 * A guard, and a store that breaks it.
 *
 * @param guard what has to hold
 * @param change what the broken store does instead
 * @param kind where it has to be found out
 * @param mutant the broken store's decisions
 */
record Broken(String guard, String change, Kind kind, Mutant mutant) {
    /** Where a broken store has to be found out. */
    enum Kind {
        /** By the written tests and by the random histories. */
        ANYWHERE,
        /** By the written tests; the histories do not go there. */
        WRITTEN,
        /** By races only. */
        RACE
    }

    static Broken anywhere(String guard, String change, Mutant mutant) {
        return new Broken(guard, change, Kind.ANYWHERE, mutant);
    }

    static Broken written(String guard, String change, Mutant mutant) {
        return new Broken(guard, change, Kind.WRITTEN, mutant);
    }

    static Broken race(String guard, String change, Mutant mutant) {
        return new Broken(guard, change, Kind.RACE, mutant);
    }

    @Override
    public String toString() {
        return change;
    }
}
