package io.oncegate.benchmarks;

/** One side of a comparison: makes the body of each of the threads that run it. */
@FunctionalInterface
interface Side {
    /** The body of the thread of this number, counted from 0. */
    Body of(int thread) throws Exception;

    /** Called before each slot of this side, outside the time that is measured. */
    default void begin() {}

    /** Called after each slot of this side, outside the time that is measured; what goes on beside the threads ends. */
    default void end() {}

    /** A side whose threads all do the same. */
    static Side all(Body body) {
        return thread -> body;
    }
}
