package io.oncegate.boot;

import io.oncegate.core.OnceEvent;
import io.oncegate.core.OnceListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the log when a store does not answer: one line for each request that was refused or let through by choice. */
final class StoreDownLog implements OnceListener {
    private static final Logger LOG = LoggerFactory.getLogger(StoreDownLog.class);

    @Override
    public void on(OnceEvent event) {
        if (event.kind() == OnceEvent.Kind.STORE_DOWN) {
            LOG.warn("Refused, for store {} does not answer: {}", event.store(), event.key());
        } else if (event.kind() == OnceEvent.Kind.UNPROTECTED) {
            LOG.warn("Ran unprotected, for store {} does not answer: {}", event.store(), event.key());
        }
    }
}
