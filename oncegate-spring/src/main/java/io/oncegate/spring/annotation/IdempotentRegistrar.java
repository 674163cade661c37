package io.oncegate.spring.annotation;

import java.util.Map;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;

/** Registers what {@link EnableIdempotent} switches on: the advisor, and the creator of proxies if there is none yet. */
final class IdempotentRegistrar implements ImportBeanDefinitionRegistrar {
    static final String BEAN_NAME = "io.oncegate.spring.annotation.idempotentMethods";

    IdempotentRegistrar() {}

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        Map<String, Object> attributes = importing.getAnnotationAttributes(EnableIdempotent.class.getName());
        boolean strict = attributes == null || Boolean.TRUE.equals(attributes.get("strict"));
        AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        if (attributes != null && Boolean.TRUE.equals(attributes.get("proxyTargetClass"))) {
            AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
        }
        if (!registry.containsBeanDefinition(BEAN_NAME)) {
            RootBeanDefinition definition =
                    new RootBeanDefinition(IdempotentMethods.class, () -> new IdempotentMethods(strict));
            definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
            registry.registerBeanDefinition(BEAN_NAME, definition);
        }
    }
}
