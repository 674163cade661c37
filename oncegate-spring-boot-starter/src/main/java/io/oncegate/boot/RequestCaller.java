package io.oncegate.boot;

import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.key.Scope;
import io.oncegate.spring.annotation.CallerScope;
import io.oncegate.spring.mvc.ScopeResolver;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The caller of the servlet request that this thread serves, as the gate names it. Nobody, where there is no request. */
final class RequestCaller implements CallerScope {
    private final Supplier<ScopeResolver> scopes;

    RequestCaller(Supplier<ScopeResolver> scopes) {
        this.scopes = scopes;
    }

    @Override
    public @Nullable Scope current() {
        if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)) {
            return null;
        }
        try {
            return scopes.get().resolve(attributes.getRequest());
        } catch (InvalidKeyException e) {
            return null;
        }
    }
}
