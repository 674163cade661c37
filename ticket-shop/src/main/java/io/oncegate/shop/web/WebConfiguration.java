package io.oncegate.shop.web;

import org.apache.catalina.core.StandardHost;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** What stands before the controllers and before the gate. */
@Configuration(proxyBeanMethods = false)
class WebConfiguration {
    /** The gate's filter has a higher number: it asks who is calling. */
    static final int USER_FILTER_ORDER = 0;

    @Bean
    FilterRegistrationBean<UserFilter> userFilter(JsonMapper json) {
        FilterRegistrationBean<UserFilter> registration =
                new FilterRegistrationBean<>(new UserFilter(new ProblemWriter(json)));
        registration.addUrlPatterns("/api/orders/*");
        registration.setOrder(USER_FILTER_ORDER);
        return registration;
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> problemsInsteadOfTomcatsPages() {
        return factory -> factory.addContextCustomizers(context -> {
            if (context.getParent() instanceof StandardHost host) {
                host.setErrorReportValveClass(ProblemReportValve.class.getName());
            }
        });
    }
}
