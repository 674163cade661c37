package io.oncegate.spring.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.stereotype.Controller;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.RequestMapping;

/** Looks at all beans for annotated methods that are not protected. Used once. */
final class BeanAudit {
    private static final String REMEDY = "; or run the business by Oncegate.run";

    /** A bean of spring-test where a test has replaced beans: by mocks, and others that are made past the container. */
    private static final String REPLACED =
            "org.springframework.test.context.bean.override.internalBeanOverrideRegistry";

    private final ConfigurableListableBeanFactory beans;
    private final MethodPlans plans;
    private final Advisor advisor;
    private final Set<String> problems = new LinkedHashSet<>();
    private final Set<Class<?>> annotated = new LinkedHashSet<>();

    BeanAudit(ConfigurableListableBeanFactory beans, MethodPlans plans, Advisor advisor) {
        this.beans = beans;
        this.plans = plans;
        this.advisor = advisor;
    }

    List<String> problems() {
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
        duplicates();
        return List.copyOf(problems);
    }

    private void bean(String name) {
        Object bean = instance(name);
        Class<?> type = bean == null ? beans.getType(name, false) : AopProxyUtils.ultimateTargetClass(bean);
        if (type == null || bean instanceof AopInfrastructureBean) {
            return; // a scoped proxy leads to a bean of its own, which is looked at
        }
        Class<?> user = ClassUtils.getUserClass(type);
        for (Method method : AnnotatedMethods.of(user)) {
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
                && AnnotationUtils.isCandidateClass(product, Idempotent.class)
                && !AnnotatedMethods.of(ClassUtils.getUserClass(product)).isEmpty();
        return relevant && !lazy && beans.isSingleton(name) ? beans.getBean(name) : null;
    }

    private void method(Method method, Class<?> type, @Nullable Object bean) {
        String label = PlanFactory.label(method, type);
        Idempotent annotation = IdempotentMethods.annotation(method);
        if (annotation != null && annotation.key().isBlank()) {
            withoutKey(label, method, type);
            return;
        }
        plans.entry(method, type).problems().forEach(problem -> problems.add(label + ": " + problem));
        if (AnnotatedElementUtils.hasAnnotation(method, Bean.class)) {
            problems.add(label + ": is a @Bean method, which makes a bean; annotate the bean's own method");
        } else if (Modifier.isStatic(method.getModifiers())) {
            problems.add(label + ": is static, and no proxy sees its calls; make it an instance method" + REMEDY);
        } else if (Modifier.isPrivate(method.getModifiers())) {
            problems.add(
                    label + ": is private, and no proxy sees its calls; make it public and call it from another bean"
                            + REMEDY);
        } else if (bean != null) {
            proxy(label, method, type, bean);
        } else if (Modifier.isFinal(method.getModifiers()) && !Proxy.isProxyClass(type)) {
            problems.add(isFinal(label));
        }
    }

    private static String isFinal(String label) {
        return label + ": is final, and a proxy cannot override it; take final away" + REMEDY;
    }

    private void withoutKey(String label, Method method, Class<?> type) {
        if (beans.getBeanProvider(HandlerGate.class).stream().anyMatch(gate -> gate.guards(method, type))) {
            return;
        }
        boolean handler = AnnotatedElementUtils.hasAnnotation(type, Controller.class)
                && AnnotatedElementUtils.hasAnnotation(method, RequestMapping.class);
        if (!handler) {
            problems.add(
                    label + ": has no key expression, and is no handler method of a controller whose key the HTTP gate"
                            + " could take from the request; set key");
        } else {
            problems.add(
                    label + ": has no key expression, and no HTTP gate guards this handler; switch the gate on, or set"
                            + " key");
        }
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
                    + REMEDY);
            return;
        }
        if (!chain.reaches(method, type)) {
            problems.add(label + ": is not in the interfaces by which the bean's proxy is called; add it to one, or set"
                    + " proxyTargetClass = true" + REMEDY);
        } else if (Modifier.isFinal(method.getModifiers()) && !Proxy.isProxyClass(type)) {
            problems.add(isFinal(label));
        }
        chain.misplaced(PlanFactory.isAsync(method, type)).forEach(problem -> problems.add(label + ": " + problem));
    }

    private void selfCalls(Class<?> type) {
        List<Method> targets = new ArrayList<>();
        for (Method method : AnnotatedMethods.of(type)) {
            Idempotent annotation = IdempotentMethods.annotation(method);
            if (annotation != null && !annotation.key().isBlank()) {
                targets.add(method);
            }
        }
        for (SelfCalls.Found call : calls(type, targets, false)) {
            problems.add(PlanFactory.label(call.target(), type) + ": is called by " + call.where()
                    + " on the same object, past the proxy; call it through another bean" + REMEDY);
        }
    }

    private List<SelfCalls.Found> calls(Class<?> type, List<Method> targets, boolean statics) {
        try {
            return SelfCalls.in(type, targets, statics);
        } catch (IllegalStateException e) {
            problems.add(ClassUtils.getShortName(type) + ": " + e.getMessage() + REMEDY);
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
            problems.add(PlanFactory.label(call.target(), type) + ": is called by " + call.where()
                    + " as a plain method, which makes an object without proxy whose @Idempotent methods are not"
                    + " protected; take the bean as a parameter, or make the class a @Configuration with"
                    + " proxyBeanMethods = true");
        }
    }

    private static boolean makesAnnotated(Method method) {
        return !AnnotatedMethods.of(method.getReturnType()).isEmpty();
    }

    private void duplicates() {
        Map<String, Set<String>> labels = new LinkedHashMap<>();
        for (MethodPlans.Entry entry : plans.all()) {
            if (entry.plan() != null) {
                labels.computeIfAbsent(entry.plan().operation().name(), unused -> new LinkedHashSet<>())
                        .add(entry.plan().label());
            }
        }
        labels.forEach((name, methods) -> {
            if (methods.size() > 1) {
                problems.add("operation " + name + " names several methods, whose keys and results would be mixed up: "
                        + String.join(", ", methods) + "; give each a name of its own");
            }
        });
    }
}
