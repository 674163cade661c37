package io.oncegate.boot;

import io.oncegate.core.Oncegate;
import io.oncegate.spring.annotation.Oncegates;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.mvc.IdempotencyFilter;
import io.oncegate.spring.mvc.ReplayAuthorizer;
import io.oncegate.spring.mvc.ScopeResolver;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletPath;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * The HTTP gate of a servlet application: routes from properties, {@link IdempotentRoute} beans and annotated handlers. The
 * caller is the request's principal, else the one that a {@link ScopeResolver} bean names.
 */
@AutoConfiguration(after = OncegateAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnProperty(name = "oncegate.http.enabled", matchIfMissing = true)
@Import(GateRoutesConfiguration.class)
public final class MvcGateAutoConfiguration {
    @Bean
    @Lazy
    AnnotatedRoutes oncegateAnnotatedRoutes(
            ObjectProvider<RequestMappingHandlerMapping> mappings,
            Environment environment,
            ObjectProvider<Oncegates> engines) {
        AnnotatedRoutes routes = AnnotatedRoutes.in(environment, engines);
        mappings.forEach(mapping -> mapping.getHandlerMethods()
                .forEach((info, handler) -> routes.add(
                        handler.getMethod(), info.getMethodsCondition().getMethods(), info.getPatternValues())));
        return routes;
    }

    @Bean
    LateFilter oncegateHttpGate(
            ObjectProvider<GateRoutes> routes,
            @Qualifier("claimedOncegate") ObjectProvider<Oncegate> claimed,
            @Qualifier("sameTransactionOncegate") ObjectProvider<Oncegate> sameTransaction,
            @Qualifier("ladderOncegate") ObjectProvider<Oncegate> ladder,
            ObjectProvider<ScopeResolver> scopes,
            ObjectProvider<ReplayAuthorizer> replays,
            ObjectProvider<DispatcherServletPath> servlet,
            Environment environment,
            OncegateProperties properties) {
        return new LateFilter(() -> {
            GateRoutes known = routes.getObject();
            ScopeResolver caller = caller(scopes, properties.http());
            String errorPage = errorPage(servlet, environment);
            List<Filter> gates = new ArrayList<>();
            if (!known.claimed().isEmpty()) {
                IdempotencyFilter.Builder gate = IdempotencyFilter.builder(claimed.getObject(), caller);
                gates.add(gate(gate.errorPage(errorPage), known.claimed(), replays, properties.http()));
            }
            if (!known.sameTransaction().isEmpty()) {
                Oncegate engine = GateFactory.sameTransaction(sameTransaction, known.sameTransaction());
                IdempotencyFilter.Builder gate = IdempotencyFilter.builder(engine, caller);
                gates.add(gate(gate.errorPage(errorPage), known.sameTransaction(), replays, properties.http()));
            }
            if (!known.ladder().isEmpty()) {
                Oncegate engine = GateFactory.ladder(ladder, known.ladder());
                IdempotencyFilter.Builder gate = IdempotencyFilter.builder(engine, caller);
                gates.add(gate(gate.errorPage(errorPage), known.ladder(), replays, properties.http()));
            }
            return gates;
        });
    }

    private static Filter gate(
            IdempotencyFilter.Builder gate,
            List<IdempotentRoute> routes,
            ObjectProvider<ReplayAuthorizer> replays,
            HttpSettings settings) {
        GateFactory.set(gate, settings, routes);
        replays.ifAvailable(gate::replays);
        return gate.build();
    }

    /** Where Spring Boot's error page stands within the application. */
    private static String errorPage(ObjectProvider<DispatcherServletPath> servlet, Environment environment) {
        String path = environment.resolvePlaceholders("${spring.web.error.path:${error.path:/error}}");
        DispatcherServletPath within = servlet.getIfAvailable();
        return within == null ? path : within.getRelativePath(path);
    }

    /** Names the caller of a request: its principal, else, or where it is to decide alone, the application's bean. */
    static ScopeResolver caller(ObjectProvider<ScopeResolver> scopes, HttpSettings settings) {
        ScopeResolver own = scopes.getIfAvailable();
        if (own == null) {
            return ScopeResolver.principal();
        }
        return settings.principalFirst() ? ScopeResolver.principal().orElse(own) : own;
    }

    @Bean
    FilterRegistrationBean<LateFilter> oncegateHttpGateRegistration(
            LateFilter oncegateHttpGate, OncegateProperties properties) {
        FilterRegistrationBean<LateFilter> registration = new FilterRegistrationBean<>(oncegateHttpGate);
        registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
        registration.setAsyncSupported(true);
        registration.setOrder(properties.http().filterOrder());
        return registration;
    }

    /** Where there is Spring Security, the checks of handler methods are made before a stored answer is given. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.security.authorization.method.AuthorizationAdvisor")
    static class Replays {
        @Bean
        @Lazy
        @ConditionalOnMissingBean
        ReplayAuthorizer oncegateReplayAuthorizer(
                ObjectProvider<RequestMappingHandlerMapping> mappings, ListableBeanFactory beans) {
            return new MethodSecurityReplays(mappings.orderedStream().toList(), new MethodSecurity(beans));
        }
    }
}
