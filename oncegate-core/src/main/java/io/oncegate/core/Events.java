package io.oncegate.core;

import io.oncegate.core.OnceEvent.Kind;
import io.oncegate.core.key.OperationKey;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells listeners and the log. Duplicates are routine and logged at debug; only what an operator has to know is a warning. */
final class Events {
    private static final Logger LOG = LoggerFactory.getLogger(Oncegate.class);

    private final List<OnceListener> listeners;
    private final String store;

    Events(List<OnceListener> listeners, String store) {
        this.listeners = listeners;
        this.store = store;
    }

    void tell(Kind kind, OperationKey key) {
        LOG.debug("{} {}", kind, key);
        if (listeners.isEmpty()) {
            return;
        }
        OnceEvent event = new OnceEvent(kind, key, store);
        for (OnceListener listener : listeners) {
            try {
                listener.on(event);
            } catch (RuntimeException e) {
                LOG.warn("A listener failed on {}; it is ignored", kind, e);
            }
        }
    }

    void warn(Kind kind, OperationKey key, String what, Throwable cause) {
        warn(key, what, cause);
        tell(kind, key);
    }

    void warn(OperationKey key, String what, Throwable cause) {
        LOG.warn("{}: {} [store {}]: {}", key, what, store, String.valueOf(cause));
    }
}
