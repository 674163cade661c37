package io.oncegate.spring.internal;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/** Looks at all beans for annotated methods that are not protected. Used once. */
public final class BeanAudit {
    /** A bean of spring-test where a test has replaced beans: by mocks, and others that are made past the container. */
    private static final String REPLACED =
            "org.springframework.test.context.bean.override.internalBeanOverrideRegistry";

    private final ConfigurableListableBeanFactory beans;
    private final AuditSubject subject;
    private final Advisor advisor;
    private final Set<String> problems = new LinkedHashSet<>();
    private final Set<Class<?>> annotated = new LinkedHashSet<>();

    /** Creates the audit. */
    public BeanAudit(ConfigurableListableBeanFactory beans, AuditSubject subject, Advisor advisor) {
        this.beans = beans;
        this.subject = subject;
        this.advisor = advisor;
    }

    /** One sentence for each problem. */
    public List<String> problems() {
        Set<String> names = new LinkedHashSet<>(List.of(beans.getBeanDefinitionNames()));
        names.addAll(List.of(beans.getSingletonNames()));
        for (String name : names) {
            boolean isAbstract = beans.containsBeanDefinition(name)
                    && beans.getBeanDefinition(name).isAbstract();
            if (!isAbstract) {
                bean(name);
            }
        }
        annotated.forEach(this::selfCalls);
        names.forEach(this::plainBeanMethods);
        problems.addAll(subject.together());
        return List.copyOf(problems);
    }

    private void bean(String name) {
        Object bean = instance(name);
        Class<?> type = bean == null ? beans.getType(name, false) : AopProxyUtils.ultimateTargetClass(bean);
        if (type == null || bean instanceof AopInfrastructureBean) {
            return; // a scoped proxy leads to a bean of its own, which is looked at
        }
        Class<?> user = ClassUtils.getUserClass(type);
        for (Method method : AnnotatedMethods.of(user, subject)) {
            annotated.add(user);
            method(method, user, bean);
        }
    }

    /** The bean, where it exists already; what a factory makes is made for it. */
    private @Nullable Object instance(String name) {
        Object bean = beans.getSingleton(name);
        if (!(bean instanceof FactoryBean<?>)) {
            return bean;
        }
        Class<?> product = beans.getType(name, false);
        boolean lazy = beans.containsBeanDefinition(name)
                && beans.getBeanDefinition(name).isLazyInit();
        boolean relevant = product != null
                && subject.isCandidate(product)
                && !AnnotatedMethods.of(ClassUtils.getUserClass(product), subject)
                        .isEmpty();
        return relevant && !lazy && beans.isSingleton(name) ? beans.getBean(name) : null;
    }

    private void method(Method method, Class<?> type, @Nullable Object bean) {
        String label = Attributes.label(method, type);
        subject.problems(method, type).forEach(problem -> problems.add(label + ": " + problem));
        if (!subject.isAdvised(method)) {
            return;
        }
        if (AnnotatedElementUtils.hasAnnotation(method, Bean.class)) {
            problems.add(label + ": is a @Bean method, which makes a bean; annotate the bean's own method");
        } else if (Modifier.isStatic(method.getModifiers())) {
            problems.add(
                    label + ": is static, and no proxy sees its calls; make it an instance method" + subject.remedy());
        } else if (Modifier.isPrivate(method.getModifiers())) {
            problems.add(
                    label + ": is private, and no proxy sees its calls; make it public and call it from another bean"
                            + subject.remedy());
        } else if (bean != null) {
            proxy(label, method, type, bean);
        } else if (Modifier.isFinal(method.getModifiers()) && !Proxy.isProxyClass(type)) {
            problems.add(isFinal(label));
        }
    }

    private String isFinal(String label) {
        return label + ": is final, and a proxy cannot override it; take final away" + subject.remedy();
    }

    private void proxy(String label, Method method, Class<?> type, Object bean) {
        ProxyChain chain = ProxyChain.of(bean, advisor);
        if (!chain.advised()) {
            if (beans.containsSingleton(REPLACED)) {
                return;
            }
            problems.add(label + ": "
                    + (Modifier.isFinal(type.getModifiers()) && !Proxy.isProxyClass(type)
                            ? "its class is final, and a proxy cannot extend it; take final away, or call it by an interface"
                            : "its bean has no proxy: it was made too early, by or for a BeanPostProcessor or another part"
                                    + " of the start-up, or past the container; let that part take it from an"
                                    + " ObjectProvider when it is needed")
                    + subject.remedy());
            return;
        }
        if (!chain.reaches(method, type)) {
            problems.add(label + ": is not in the interfaces by which the bean's proxy is called; add it to one, or set"
                    + " proxyTargetClass = true" + subject.remedy());
        } else if (Modifier.isFinal(method.getModifiers()) && !Proxy.isProxyClass(type)) {
            problems.add(isFinal(label));
        }
        chain.misplaced(Attributes.isAsync(method, type), subject)
                .forEach(problem -> problems.add(label + ": " + problem));
    }

    private void selfCalls(Class<?> type) {
        List<Method> targets = new ArrayList<>();
        for (Method method : AnnotatedMethods.of(type, subject)) {
            if (subject.isAdvised(method)) {
                targets.add(method);
            }
        }
        for (SelfCalls.Found call : calls(type, targets, false)) {
            problems.add(Attributes.label(call.target(), type) + ": is called by " + call.where()
                    + " on the same object, past the proxy; call it through another bean" + subject.remedy());
        }
    }

    private List<SelfCalls.Found> calls(Class<?> type, List<Method> targets, boolean statics) {
        try {
            return SelfCalls.in(type, targets, statics);
        } catch (IllegalStateException e) {
            problems.add(ClassUtils.getShortName(type) + ": " + e.getMessage() + subject.remedy());
            return List.of();
        }
    }

    /** In a configuration class without proxy, a call to a @Bean method makes an object that is no bean. */
    private void plainBeanMethods(String name) {
        if (!beans.containsBeanDefinition(name)) {
            return;
        }
        BeanDefinition definition = beans.getBeanDefinition(name);
        Class<?> type = beans.getType(name, false);
        if (type == null || definition.isAbstract() || type.getName().contains("$$SpringCGLIB$$")) {
            return;
        }
        List<Method> targets = new ArrayList<>();
        for (Method method : AnnotatedMethods.candidates(type)) {
            if (AnnotatedElementUtils.hasAnnotation(method, Bean.class) && makesAnnotated(method)) {
                targets.add(method);
            }
        }
        for (SelfCalls.Found call : calls(type, targets, true)) {
            problems.add(Attributes.label(call.target(), type) + ": is called by " + call.where()
                    + " as a plain method, which makes an object without proxy whose " + subject.annotation()
                    + " methods are not"
                    + " protected; take the bean as a parameter, or make the class a @Configuration with"
                    + " proxyBeanMethods = true");
        }
    }

    private boolean makesAnnotated(Method method) {
        return !AnnotatedMethods.of(method.getReturnType(), subject).isEmpty();
    }
}
