package io.oncegate.core.lock;

/** Is told what happens to locks, for metrics and traces: to be quick and thread-safe. */
@FunctionalInterface
public interface LockListener {
    /** Is told; an exception is logged and otherwise ignored. */
    void on(LockEvent event);
}
