package io.oncegate.spring.mvc;

import io.oncegate.spring.http.IdempotentRoute;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Is asked before a key's record answers, because no handler runs then, and so no check on it: an application that protects
 * its handler methods ({@code @PreAuthorize}) repeats the check here. Rules by path have been applied before the gate.
 * Thread-safe.
 */
@FunctionalInterface
public interface ReplayAuthorizer {
    /**
     * Whether the caller may be told what became of the first request. If not, it is answered with 403
     * {@code replay-forbidden}. An exception is passed on to the filters before the gate, such as Spring Security's.
     */
    boolean mayReplay(HttpServletRequest request, IdempotentRoute route);
}
