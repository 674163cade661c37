package io.oncegate.spring.mvc;

import io.oncegate.core.key.Scope;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.function.Function;
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

    /** The request's principal, by its name. Spring Security fills it; an anonymous user is none. */
    static ScopeResolver principal() {
        return request -> {
            Principal principal = request.getUserPrincipal();
            return principal == null ? null : Scope.of(principal.getName());
        };
    }

    /**
     * This caller, or where it is not known the one that another resolver names. Let that one add a part of its own, as in
     * {@code Scope.of("device", id)}, so that no device is called like a user.
     */
    default ScopeResolver orElse(ScopeResolver other) {
        return request -> {
            Scope scope = resolve(request);
            return scope == null ? other.resolve(request) : scope;
        };
    }

    /** This caller within something else that has to be named too, such as the tenant: null there is an unknown caller. */
    default ScopeResolver and(Function<HttpServletRequest, @Nullable String> part) {
        return request -> {
            Scope scope = resolve(request);
            String more = part.apply(request);
            return scope == null || more == null ? null : scope.and(more);
        };
    }
}
