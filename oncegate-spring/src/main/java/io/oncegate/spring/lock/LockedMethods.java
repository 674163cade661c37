package io.oncegate.spring.lock;

import io.oncegate.spring.annotation.IdempotentMethods;
import io.oncegate.spring.internal.BeanAudit;
import io.oncegate.spring.internal.CanBeProxied;
import io.oncegate.spring.internal.MethodPlans;
import io.oncegate.spring.internal.SettleThreads;
import java.lang.reflect.Method;
import java.util.List;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.env.Environment;

/**
 * Advises the {@link Locked} and {@link OncePerWindow} methods of all beans, and reports at start-up, in one list, those
 * that are not protected. One bean of the role infrastructure; {@link EnableLocks} registers it. Thread-safe.
 */
public final class LockedMethods extends AbstractPointcutAdvisor
        implements BeanFactoryAware, SmartInitializingSingleton, DisposableBean {
    /** The place among advices, unless said otherwise: inside of {@code @Idempotent}, outside of transactions. */
    public static final int ORDER = IdempotentMethods.ORDER + 100;

    private static final Logger LOG = LoggerFactory.getLogger(LockedMethods.class);
    private static final long serialVersionUID = 1L;

    private final boolean strict;
    private final transient SettleThreads threads = new SettleThreads();
    private transient @Nullable Parts parts;

    /** What needs the bean factory. */
    private record Parts(
            ConfigurableListableBeanFactory beans, MethodPlans<LockPlan> plans, Advice advice, Pointcut pointcut) {}

    /**
     * Creates the advisor.
     *
     * @param strict whether an unprotected method stops the start, unless the property {@link IdempotentMethods#STRICT} says
     *     otherwise
     * @param order the place among advices
     */
    public LockedMethods(boolean strict, int order) {
        this.strict = strict;
        setOrder(order);
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        if (!(beanFactory instanceof ConfigurableListableBeanFactory beans)) {
            throw new IllegalArgumentException("@Locked needs a bean factory that lists its beans");
        }
        MethodPlans<LockPlan> plans =
                new MethodPlans<>("a @Locked or @OncePerWindow", new LockPlanFactory(beans)::plan);
        parts = new Parts(beans, plans, new LockInterceptor(plans, threads), new Annotated(beans));
    }

    private Parts parts() {
        Parts known = parts;
        if (known == null) {
            throw new IllegalStateException("LockedMethods is no bean; register it in the application context");
        }
        return known;
    }

    @Override
    public Pointcut getPointcut() {
        return parts().pointcut();
    }

    @Override
    public Advice getAdvice() {
        return parts().advice();
    }

    @Override
    public void afterSingletonsInstantiated() {
        Parts known = parts();
        List<String> problems = new BeanAudit(known.beans(), new LockAudit(known.plans(), getOrder()), this).problems();
        if (problems.isEmpty()) {
            return;
        }
        String list =
                "@Locked and @OncePerWindow methods that are not protected:\n - " + String.join("\n - ", problems);
        boolean stop =
                known.beans().getBean(Environment.class).getProperty(IdempotentMethods.STRICT, Boolean.class, strict);
        if (stop) {
            throw new IllegalStateException(list + "\n(set " + IdempotentMethods.STRICT
                    + "=false to start all the same; they stay unprotected)");
        }
        LOG.warn("{}", list);
    }

    @Override
    public void destroy() {
        threads.close();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    static boolean isCandidate(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, List.of(Locked.class, OncePerWindow.class));
    }

    private static final class Annotated extends StaticMethodMatcherPointcut {
        Annotated(ConfigurableListableBeanFactory beans) {
            setClassFilter(new CanBeProxied(beans, LockedMethods::isCandidate));
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return LockSettings.isOn(AopUtils.getMostSpecificMethod(method, targetClass));
        }
    }
}
