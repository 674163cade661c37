package io.oncegate.spring.client;

import java.util.Optional;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.ComposablePointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.util.ClassUtils;

/**
 * Advises beans with {@link KeepIdempotencyKey}: once outside all other advice, where the call begins, and once inside,
 * where each attempt begins. It runs after the post-processors that have an order, which is where retries come from;
 * declare it by a static {@code @Bean} method.
 */
public final class KeepIdempotencyKeyPostProcessor implements BeanPostProcessor {
    private static final String CALL = LogicalCall.class.getName();
    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Mono", KeepIdempotencyKeyPostProcessor.class.getClassLoader());

    private final Pointcut pointcut = new ComposablePointcut(
                    new AnnotationMatchingPointcut(KeepIdempotencyKey.class, true))
            .union(new AnnotationMatchingPointcut(null, KeepIdempotencyKey.class, true));
    private final Advisor call = new DefaultPointcutAdvisor(pointcut, (MethodInterceptor) this::begin);
    private final Advisor attempt = new DefaultPointcutAdvisor(pointcut, (MethodInterceptor) this::attempt);

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (!AopUtils.canApply(pointcut, AopUtils.getTargetClass(bean))) {
            return bean;
        }
        if (bean instanceof SpringProxy) {
            @Nullable Object target = AopProxyUtils.getSingletonTarget(bean);
            if (!(bean instanceof Advised advised)
                    || advised.isFrozen()
                    || target == null
                    || AopUtils.isAopProxy(target)) {
                throw new BeanCreationException(
                        name,
                        "@KeepIdempotencyKey cannot stand inside the retry of this bean, for its proxy takes no more advice"
                                + " or has no plain object behind it; use LogicalCall around and inside the retry instead");
            }
            advised.addAdvisor(0, call);
            advised.addAdvisor(advised.getAdvisors().length, attempt);
            return bean;
        }
        ProxyFactory factory = new ProxyFactory();
        factory.setTarget(bean);
        factory.setProxyTargetClass(true);
        factory.addAdvisor(call);
        factory.addAdvisor(attempt);
        return factory.getProxy(bean.getClass().getClassLoader());
    }

    private @Nullable Object begin(MethodInvocation invocation) throws Throwable {
        ((ProxyMethodInvocation) invocation).setUserAttribute(CALL, LogicalCall.begin());
        @Nullable Object result = invocation.proceed();
        return REACTOR ? ReactiveResults.call(result) : result;
    }

    private @Nullable Object attempt(MethodInvocation invocation) throws Throwable {
        if (!(((ProxyMethodInvocation) invocation).getUserAttribute(CALL) instanceof LogicalCall begun)) {
            throw new IllegalStateException("an advice of " + invocation.getMethod()
                    + " does not pass the invocation on, so its attempts cannot be told; use LogicalCall instead");
        }
        @Nullable
        Object result =
                begun.attempt(() -> Optional.ofNullable(invocation.proceed())).orElse(null);
        return REACTOR ? ReactiveResults.attempts(result) : result;
    }

    /** Apart, so that Reactor is needed only where it is there. */
    private static final class ReactiveResults {
        static @Nullable Object call(@Nullable Object result) {
            if (result instanceof reactor.core.publisher.Mono<?> mono) {
                return ReactiveCalls.call(mono);
            }
            return result instanceof reactor.core.publisher.Flux<?> flux ? ReactiveCalls.call(flux) : result;
        }

        static @Nullable Object attempts(@Nullable Object result) {
            if (result instanceof reactor.core.publisher.Mono<?> mono) {
                return ReactiveCalls.attempts(mono);
            }
            return result instanceof reactor.core.publisher.Flux<?> flux ? ReactiveCalls.attempts(flux) : result;
        }
    }
}
