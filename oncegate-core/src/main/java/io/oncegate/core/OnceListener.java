package io.oncegate.core;

/** Is told what happens to calls, for metrics and traces. Called on the calling thread: to be quick and thread-safe. */
@FunctionalInterface
public interface OnceListener {
    /** Is told; an exception is logged and otherwise ignored. */
    void on(OnceEvent event);
}
