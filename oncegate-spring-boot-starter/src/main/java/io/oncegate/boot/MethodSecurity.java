package io.oncegate.boot;

import java.util.List;
import java.util.Map;
import org.springframework.aop.Pointcut;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.security.authorization.method.AuthorizationAdvisor;
import org.springframework.web.method.HandlerMethod;

/** Spring Security's checks around methods, as far as they are made before the method runs. Thread-safe. */
final class MethodSecurity {
    /** It filters arguments, which are not known before a replay, and refuses nobody. */
    private static final String ARGUMENT_FILTER = "preFilterAuthorizationMethodInterceptor";

    private final List<AuthorizationAdvisor> advisors;

    MethodSecurity(ListableBeanFactory beans) {
        this.advisors = beans.getBeansOfType(AuthorizationAdvisor.class).entrySet().stream()
                .filter(advisor -> !advisor.getKey().equals(ARGUMENT_FILTER))
                .map(Map.Entry::getValue)
                .toList();
    }

    /** The checks of this handler. */
    List<AuthorizationAdvisor> of(HandlerMethod handler) {
        return advisors.stream()
                .filter(advisor -> matches(advisor.getPointcut(), handler))
                .toList();
    }

    private static boolean matches(Pointcut pointcut, HandlerMethod handler) {
        return pointcut.getClassFilter().matches(handler.getBeanType())
                && pointcut.getMethodMatcher().matches(handler.getMethod(), handler.getBeanType());
    }
}
