package io.oncegate.spring.internal;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;

/**
 * The proxies around a bean, from the outermost to the innermost.
 *
 * @param advisors of all proxies, the outermost first
 * @param own the place of ours among them, or -1
 * @param proxy the proxy that has ours, or null
 */
record ProxyChain(List<Advisor> advisors, int own, @Nullable Object proxy) {
    static ProxyChain of(Object bean, Advisor ours) {
        List<Advisor> advisors = new ArrayList<>();
        int own = -1;
        Object with = null;
        Object current = bean;
        while (current instanceof Advised advised) {
            for (Advisor advisor : advised.getAdvisors()) {
                if (advisor == ours && own < 0) {
                    own = advisors.size();
                    with = current;
                }
                advisors.add(advisor);
            }
            current = target(advised);
        }
        return new ProxyChain(advisors, own, with);
    }

    private static @Nullable Object target(Advised advised) {
        try {
            return advised.getTargetSource().isStatic()
                    ? advised.getTargetSource().getTarget()
                    : null;
        } catch (Exception e) {
            return null;
        }
    }

    boolean advised() {
        return own >= 0;
    }

    /** Whether calls of this method go through our proxy. */
    boolean reaches(Method method, Class<?> type) {
        if (proxy == null || !Proxy.isProxyClass(proxy.getClass())) {
            return true;
        }
        if (!Modifier.isPublic(method.getModifiers())) {
            return false;
        }
        for (Class<?> each : ((Advised) proxy).getProxiedInterfaces()) {
            for (Method declared : each.getMethods()) {
                if (AopUtils.getMostSpecificMethod(declared, type).equals(method)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** What stands on the wrong side of ours. */
    List<String> misplaced(boolean async, AuditSubject subject) {
        List<String> problems = new ArrayList<>();
        boolean asyncOutside = false;
        for (int i = 0; i < advisors.size(); i++) {
            String advisor = advisors.get(i).getClass().getName();
            String advice = advisors.get(i).getAdvice().getClass().getName();
            if (i < own && advice.equals("org.springframework.transaction.interceptor.TransactionInterceptor")) {
                problems.add("is advised inside its @Transactional, so " + subject.insideTransaction()
                        + "; give @EnableTransactionManagement an order above " + subject.order());
            }
            if (i > own && advice.startsWith("org.springframework.security.authorization.method.")) {
                problems.add("is advised outside its check of rights, so " + subject.outsideRights()
                        + "; give @EnableMethodSecurity an offset that leaves its advices below " + subject.order());
            }
            asyncOutside |=
                    i < own && advisor.equals("org.springframework.scheduling.annotation.AsyncAnnotationAdvisor");
        }
        if (async && !asyncOutside) {
            problems.add(
                    "is @Async, but is not run asynchronously from outside of its advice; add @EnableAsync (mode PROXY)"
                            + ", or take @Async away");
        }
        return problems;
    }
}
