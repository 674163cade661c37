package io.oncegate.benchmarks;

/** One side of a comparison: makes the body of each of the threads that run it. */
@FunctionalInterface
interface Side {
    /** The body of the thread of this number, counted from 0. */
    Body of(int thread) throws Exception;

    /** A side whose threads all do the same. */
    static Side all(Body body) {
        return thread -> body;
    }
}
