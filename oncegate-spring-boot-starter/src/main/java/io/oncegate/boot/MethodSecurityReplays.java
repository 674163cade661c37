package io.oncegate.boot;

import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.mvc.ReplayAuthorizer;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authorization.method.AuthorizationAdvisor;
import org.springframework.security.core.AuthenticationException;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * Makes the checks of a handler ({@code @PreAuthorize}, {@code @Secured}, {@code @RolesAllowed}) before its stored answer is
 * given, for the handler itself does not run then. The handler's arguments are not known: a check that needs them refuses.
 * Thread-safe.
 */
final class MethodSecurityReplays implements ReplayAuthorizer {
    private static final Logger LOG = LoggerFactory.getLogger(MethodSecurityReplays.class);

    private final List<RequestMappingHandlerMapping> mappings;
    private final MethodSecurity security;

    MethodSecurityReplays(List<RequestMappingHandlerMapping> mappings, MethodSecurity security) {
        this.mappings = mappings;
        this.security = security;
    }

    @Override
    public boolean mayReplay(HttpServletRequest request, IdempotentRoute route) {
        try {
            HandlerMethod handler = handlerOf(request);
            return handler == null || passes(handler);
        } catch (AccessDeniedException | AuthenticationException e) {
            throw e; // Spring Security answers, as it does for the handler
        } catch (Throwable e) {
            LOG.warn(
                    "A stored answer of {} was not given, for a check of its handler could not be made; give a"
                            + " ReplayAuthorizer bean: {}",
                    route,
                    e.toString());
            return false;
        }
    }

    private boolean passes(HandlerMethod handler) throws Throwable {
        for (AuthorizationAdvisor check : security.of(handler)) {
            HandlerInvocation invocation = new HandlerInvocation(handler, () -> null);
            try {
                check.invoke(invocation);
            } catch (Throwable e) {
                if (!invocation.reached()) {
                    throw e;
                }
                // a check of the result, which is not there
            }
            if (!invocation.reached()) {
                return false;
            }
        }
        return true;
    }

    private @Nullable HandlerMethod handlerOf(HttpServletRequest request) throws Exception {
        if (!ServletRequestPathUtils.hasParsedRequestPath(request)) {
            ServletRequestPathUtils.parseAndCache(request);
        }
        for (RequestMappingHandlerMapping mapping : mappings) {
            HandlerExecutionChain chain = mapping.getHandler(request);
            if (chain != null && chain.getHandler() instanceof HandlerMethod handler) {
                return handler;
            }
        }
        return null;
    }
}
