package io.oncegate.spring.annotation;

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
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.env.Environment;

/**
 * Advises the {@link Idempotent} methods of all beans, and reports at start-up, in one list, those that are not protected.
 * One bean of the role infrastructure; {@link EnableIdempotent} registers it. Thread-safe.
 *
 * <p>Its place among advices is {@link #ORDER}: inside the checks of rights, which are made again before a replay, and
 * outside transactions, so that an outcome is settled after the commit.
 */
public final class IdempotentMethods extends AbstractPointcutAdvisor
        implements BeanFactoryAware, SmartInitializingSingleton, DisposableBean {
    /** The place among advices; what has a higher number is inside. */
    public static final int ORDER = 1000;

    /** The property that says whether an unprotected method stops the start. */
    public static final String STRICT = "oncegate.annotations.strict";

    private static final Logger LOG = LoggerFactory.getLogger(IdempotentMethods.class);
    private static final long serialVersionUID = 1L;

    private final boolean strict;
    private final transient SettleThreads threads = new SettleThreads();
    private transient @Nullable Parts parts;

    /** What needs the bean factory. */
    private record Parts(
            ConfigurableListableBeanFactory beans, MethodPlans<MethodPlan> plans, Advice advice, Pointcut pointcut) {}

    /**
     * Creates the advisor.
     *
     * @param strict whether an unprotected method stops the start, unless the property {@link #STRICT} says otherwise
     */
    public IdempotentMethods(boolean strict) {
        this.strict = strict;
        setOrder(ORDER);
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        if (!(beanFactory instanceof ConfigurableListableBeanFactory beans)) {
            throw new IllegalArgumentException("@Idempotent needs a bean factory that lists its beans");
        }
        MethodPlans<MethodPlan> plans = new MethodPlans<>("an @Idempotent", new PlanFactory(beans)::plan);
        parts = new Parts(beans, plans, new IdempotentInterceptor(plans, threads), new Annotated(beans));
    }

    private Parts parts() {
        Parts known = parts;
        if (known == null) {
            throw new IllegalStateException("IdempotentMethods is no bean; register it in the application context");
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
        List<String> problems =
                new BeanAudit(parts().beans(), new IdempotentAudit(parts().beans(), parts().plans()), this).problems();
        if (problems.isEmpty()) {
            return;
        }
        String list = "@Idempotent methods that are not protected:\n - " + String.join("\n - ", problems);
        boolean stop = parts().beans().getBean(Environment.class).getProperty(STRICT, Boolean.class, strict);
        if (stop) {
            throw new IllegalStateException(
                    list + "\n(set " + STRICT + "=false to start all the same; they stay unprotected)");
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

    /** The annotation of a method, its own, or that of one which it overrides or implements. */
    static @Nullable Idempotent annotation(Method method) {
        return AnnotatedElementUtils.findMergedAnnotation(method, Idempotent.class);
    }

    /** Annotated methods with a key expression. */
    private static final class Annotated extends StaticMethodMatcherPointcut {
        Annotated(ConfigurableListableBeanFactory beans) {
            setClassFilter(new CanBeProxied(beans, type -> AnnotationUtils.isCandidateClass(type, Idempotent.class)));
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            Idempotent annotation = annotation(AopUtils.getMostSpecificMethod(method, targetClass));
            return annotation != null && !annotation.key().isBlank();
        }
    }
}
