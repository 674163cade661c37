package io.oncegate.shop.web;

import com.samskivert.mustache.Mustache;
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

    private static final String[] PAGES = {"/sessions/*", "/orders/*"};

    @Bean
    FilterRegistrationBean<UserFilter> userFilter(JsonMapper json) {
        FilterRegistrationBean<UserFilter> registration =
                new FilterRegistrationBean<>(new UserFilter(new ProblemWriter(json)));
        registration.addUrlPatterns("/api/orders/*", "/api/flash-orders/*", "/api/tokens/*");
        registration.setOrder(USER_FILTER_ORDER);
        return registration;
    }

    @Bean
    FilterRegistrationBean<VisitorFilter> visitorFilter(JsonMapper json) {
        FilterRegistrationBean<VisitorFilter> registration =
                new FilterRegistrationBean<>(new VisitorFilter(new UserFilter(new ProblemWriter(json))));
        registration.addUrlPatterns(PAGES);
        registration.setOrder(USER_FILTER_ORDER);
        return registration;
    }

    @Bean
    FilterRegistrationBean<ProblemPageFilter> problemPageFilter(JsonMapper json, Mustache.Compiler mustache) {
        FilterRegistrationBean<ProblemPageFilter> registration =
                new FilterRegistrationBean<>(new ProblemPageFilter(new ProblemPage(json, mustache)));
        registration.setOrder(USER_FILTER_ORDER - 2);
        return registration;
    }

    @Bean
    FilterRegistrationBean<AddressFilter> addressFilter(JsonMapper json) {
        FilterRegistrationBean<AddressFilter> registration =
                new FilterRegistrationBean<>(new AddressFilter(new ProblemWriter(json)));
        registration.setOrder(USER_FILTER_ORDER - 1);
        return registration;
    }

    @Bean
    FilterRegistrationBean<RepeatNotice> repeatNotice(Tally tally) {
        FilterRegistrationBean<RepeatNotice> registration = new FilterRegistrationBean<>(new RepeatNotice(tally));
        registration.addUrlPatterns(PAGES);
        registration.addUrlPatterns("/api/*");
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
