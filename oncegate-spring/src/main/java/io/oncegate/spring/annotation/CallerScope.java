package io.oncegate.spring.annotation;

import io.oncegate.core.key.Scope;
import org.jspecify.annotations.Nullable;

/**
 * Names the caller of an annotated method, for example from the security context. One bean serves all methods that name no
 * scope of their own. Thread-safe. Asked on the thread that calls the method; for a method that is {@code @Async}, on the
 * thread that runs it; for a Mono or Flux, when it is subscribed to.
 */
@FunctionalInterface
public interface CallerScope {
    /** The caller, or null if it is not known: the call is refused then with {@link CallerUnknownException}. */
    @Nullable
    Scope current();
}
