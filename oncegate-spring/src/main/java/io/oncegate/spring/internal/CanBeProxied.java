package io.oncegate.spring.internal;

import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.function.Predicate;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Leaves final classes alone, for which a proxy would fail with less to say than the audit.
 *
 * @param candidates the classes that may have annotated methods
 */
public record CanBeProxied(ConfigurableListableBeanFactory beans, Predicate<Class<?>> candidates)
        implements ClassFilter {
    @Override
    public boolean matches(Class<?> type) {
        if (!candidates.test(type)) {
            return false;
        }
        return !Modifier.isFinal(type.getModifiers())
                || Proxy.isProxyClass(type)
                || (type.getInterfaces().length > 0 && !subclasses());
    }

    private boolean subclasses() {
        return beans.containsBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME)
                && beans.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME) instanceof ProxyConfig creator
                && creator.isProxyTargetClass();
    }
}
