package io.oncegate.spring.mvc;

import io.oncegate.core.Oncegate;
import io.oncegate.core.key.Scope;
import io.oncegate.spring.gate.GateServer;
import io.oncegate.spring.gate.Runs;
import jakarta.servlet.DispatcherType;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.HttpEncodingAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.MultipartAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/** A real Tomcat with Spring MVC, the test controllers and a gate before them. */
final class MvcServer extends GateServer {
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        TomcatServletWebServerAutoConfiguration.class,
        DispatcherServletAutoConfiguration.class,
        WebMvcAutoConfiguration.class,
        ErrorMvcAutoConfiguration.class,
        HttpMessageConvertersAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        MultipartAutoConfiguration.class,
        HttpEncodingAutoConfiguration.class
    })
    static class App {}

    private MvcServer(IdempotencyFilter filter, Runs runs, Consumer<GenericApplicationContext> beans) {
        super(run(filter, runs, beans), runs);
    }

    private static ConfigurableApplicationContext run(
            IdempotencyFilter filter, Runs runs, Consumer<GenericApplicationContext> beans) {
        return new SpringApplicationBuilder(App.class, TestControllers.class)
                .web(WebApplicationType.SERVLET)
                .properties(Map.of(
                        "server.port", "0",
                        "server.address", "127.0.0.1",
                        "spring.main.banner-mode", "off",
                        "spring.mvc.async.request-timeout", "5000",
                        "spring.servlet.encoding.force", "false",
                        "spring.web.error.include-message", "always"))
                .initializers((GenericApplicationContext c) -> {
                    c.registerBean(Runs.class, () -> runs);
                    c.registerBean("gate", FilterRegistrationBean.class, () -> {
                        FilterRegistrationBean<IdempotencyFilter> bean = new FilterRegistrationBean<>(filter);
                        bean.setDispatcherTypes(
                                DispatcherType.REQUEST,
                                DispatcherType.ASYNC,
                                DispatcherType.ERROR,
                                DispatcherType.FORWARD);
                        bean.setAsyncSupported(true);
                        return bean;
                    });
                    beans.accept(c);
                })
                .run();
    }

    /** A server whose callers are named by the header X-User; tests add routes and rules. */
    static MvcServer start(Oncegate oncegate, Consumer<IdempotencyFilter.Builder> more) {
        return start(oncegate, more, context -> {});
    }

    static MvcServer start(
            Oncegate oncegate, Consumer<IdempotencyFilter.Builder> more, Consumer<GenericApplicationContext> beans) {
        IdempotencyFilter.Builder builder = IdempotencyFilter.builder(oncegate, request -> {
            String user = request.getHeader("X-User");
            return user == null ? null : Scope.of(user);
        });
        more.accept(builder);
        return start(builder.build(), beans);
    }

    static MvcServer start(IdempotencyFilter filter, Consumer<GenericApplicationContext> beans) {
        return new MvcServer(filter, new Runs(), beans);
    }
}
