package io.oncegate.spring.lock;

import java.util.Map;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;

/** Registers what {@link EnableLocks} switches on: the advisor, and the creator of proxies if there is none yet. */
final class LocksRegistrar implements ImportBeanDefinitionRegistrar {
    static final String BEAN_NAME = "io.oncegate.spring.lock.lockedMethods";

    LocksRegistrar() {}

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        Map<String, Object> attributes = importing.getAnnotationAttributes(EnableLocks.class.getName());
        boolean strict = attributes == null || Boolean.TRUE.equals(attributes.get("strict"));
        int order =
                attributes != null && attributes.get("order") instanceof Integer given ? given : LockedMethods.ORDER;
        AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        if (attributes != null && Boolean.TRUE.equals(attributes.get("proxyTargetClass"))) {
            AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
        }
        if (!registry.containsBeanDefinition(BEAN_NAME)) {
            RootBeanDefinition definition =
                    new RootBeanDefinition(LockedMethods.class, () -> new LockedMethods(strict, order));
            definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
            registry.registerBeanDefinition(BEAN_NAME, definition);
        }
    }
}
