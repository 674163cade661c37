package io.oncegate.boot;

import io.oncegate.core.Oncegate;
import io.oncegate.spring.annotation.CallerScope;
import io.oncegate.spring.annotation.EnableIdempotent;
import io.oncegate.spring.annotation.Idempotent;
import io.oncegate.spring.annotation.IdempotentExceptionAdvice;
import io.oncegate.spring.annotation.Oncegates;
import io.oncegate.spring.lock.EnableLocks;
import io.oncegate.spring.mvc.ScopeResolver;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.DispatcherServlet;

/**
 * Protects the methods of beans that carry {@link Idempotent}, or {@code @Locked} or {@code @OncePerWindow}. In a servlet application the caller of a method is the caller
 * of the request around it, unless the application has a {@link CallerScope} bean of its own.
 */
@AutoConfiguration(after = {MvcGateAutoConfiguration.class, WebFluxGateAutoConfiguration.class})
@ConditionalOnProperty(name = "oncegate.annotations.enabled", matchIfMissing = true)
@EnableIdempotent(proxyTargetClass = true)
@EnableLocks(proxyTargetClass = true)
public final class AnnotationAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    Oncegates oncegates(
            @Qualifier("claimedOncegate") Oncegate claimed,
            @Qualifier("sameTransactionOncegate") ObjectProvider<Oncegate> sameTransaction,
            @Qualifier("ladderOncegate") ObjectProvider<Oncegate> ladder) {
        @Nullable Oncegate second = sameTransaction.getIfAvailable();
        @Nullable Oncegate third = ladder.getIfAvailable();
        return new Oncegates(claimed, second, third, Idempotent.Mode.CLAIMED);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication
    static class Problems {
        @Bean
        @ConditionalOnMissingBean
        IdempotentExceptionAdvice oncegateExceptionAdvice() {
            return new IdempotentExceptionAdvice();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(DispatcherServlet.class)
    static class Callers {
        @Bean
        @ConditionalOnMissingBean
        CallerScope oncegateCallerScope(ObjectProvider<ScopeResolver> scopes, OncegateProperties properties) {
            return new RequestCaller(() -> MvcGateAutoConfiguration.caller(scopes, properties.http()));
        }
    }
}
