package io.oncegate.boot;

import io.oncegate.core.lock.LockEvent;
import io.oncegate.core.lock.LockListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the log when a store of locks does not answer: one line for each lock that could not be had. */
final class LockDownLog implements LockListener {
    private static final Logger LOG = LoggerFactory.getLogger(LockDownLog.class);

    @Override
    public void on(LockEvent event) {
        if (event.kind() == LockEvent.Kind.STORE_DOWN) {
            LOG.warn("A lock could not be had, for store {} does not answer: {}", event.store(), event.key());
        }
    }
}
