package io.oncegate.spring.http.internal;

import io.oncegate.spring.http.ExchangeEnd;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells a key's source once how its request ended. Thread-safe. */
public final class OnceEnd implements ExchangeEnd {
    private static final Logger LOG = LoggerFactory.getLogger(OnceEnd.class);

    private final AtomicReference<@Nullable ExchangeEnd> end;

    /** Tells this one, if there is one. */
    public OnceEnd(@Nullable ExchangeEnd end) {
        this.end = new AtomicReference<>(end);
    }

    /** Whether there is nobody to be told, or not any more. */
    public boolean done() {
        return end.get() == null;
    }

    @Override
    public void ended(How how) {
        ExchangeEnd told = end.getAndSet(null);
        if (told != null) {
            try {
                told.ended(how);
            } catch (RuntimeException e) {
                LOG.warn("The source of a key failed when it was told that its request ended as {}", how, e);
            }
        }
    }
}
