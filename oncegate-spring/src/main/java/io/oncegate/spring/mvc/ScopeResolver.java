package io.oncegate.spring.mvc;

import io.oncegate.core.key.Scope;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** Names the caller of a request, for example tenant and user. Thread-safe. */
@FunctionalInterface
public interface ScopeResolver {
    /**
     * The caller, or null if it is not known: the request is refused then, for a key that nobody owns would be everybody's.
     * An {@link io.oncegate.core.error.InvalidKeyException} counts as not known.
     */
    @Nullable
    Scope resolve(HttpServletRequest request);
}
