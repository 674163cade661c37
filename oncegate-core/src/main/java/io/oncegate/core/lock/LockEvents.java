package io.oncegate.core.lock;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.LockEvent.Kind;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells listeners and the log. What is refused is routine and logged at debug; only what an operator has to know is a
 * warning. For those who implement {@link Locks}. Thread-safe.
 */
public final class LockEvents {
    private static final Logger LOG = LoggerFactory.getLogger(Locks.class);

    private final List<LockListener> listeners;
    private final String store;

    /** Tells these listeners of locks in this store. */
    public LockEvents(List<LockListener> listeners, String store) {
        this.listeners = List.copyOf(listeners);
        this.store = store;
    }

    /** Tells all listeners; what one of them throws is logged. */
    public void tell(Kind kind, OperationKey key) {
        LOG.debug("Lock {}: {}", key, kind);
        if (listeners.isEmpty()) {
            return;
        }
        LockEvent event = new LockEvent(kind, key, store);
        for (LockListener listener : listeners) {
            try {
                listener.on(event);
            } catch (RuntimeException e) {
                LOG.warn("A listener failed on {}; it is ignored", kind, e);
            }
        }
    }

    /** Tells all listeners, and warns in the log. */
    public void warn(Kind kind, OperationKey key, String what) {
        LOG.warn("Lock {}: {} [store {}]", key, what, store);
        tell(kind, key);
    }

    /** Logs that what a holder wanted to have run at its loss has failed. */
    public void failed(OperationKey key, RuntimeException failure) {
        LOG.warn("Lock {}: the holder's callback for its loss failed; it is ignored", key, failure);
    }

    /** Logs that a result is too large to be shared. */
    void tooLarge(OperationKey key, int bytes) {
        LOG.warn("Lock {}: its result of {} bytes is too large to be given to those who wait; they run", key, bytes);
    }
}
