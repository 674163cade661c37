package io.oncegate.benchmarks;

/** What is done over and over: one operation, or a batch of them. Used by one thread. */
@FunctionalInterface
interface Body {
    void run() throws Exception;
}
