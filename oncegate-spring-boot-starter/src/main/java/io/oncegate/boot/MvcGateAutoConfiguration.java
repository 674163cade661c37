package io.oncegate.boot;

import io.oncegate.core.Oncegate;
import io.oncegate.spring.http.IdempotencyKeyHeader;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.mvc.IdempotencyFilter;
import io.oncegate.spring.mvc.ScopeResolver;
import jakarta.servlet.DispatcherType;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.DispatcherServlet;

/** The HTTP gate of a servlet application: routes from properties, {@link IdempotentRoute} beans and annotated handlers. */
@AutoConfiguration(after = OncegateAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnProperty(name = "oncegate.http.enabled", matchIfMissing = true)
public final class MvcGateAutoConfiguration {
}
