package io.oncegate.benchmarks.http;

import io.oncegate.spring.mvc.IdempotencyFilter;
import jakarta.servlet.DispatcherType;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.HttpEncodingAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/** Tomcat with Spring MVC as Spring Boot sets it up. */
final class MvcApp {
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        TomcatServletWebServerAutoConfiguration.class,
        DispatcherServletAutoConfiguration.class,
        WebMvcAutoConfiguration.class,
        ErrorMvcAutoConfiguration.class,
        HttpMessageConvertersAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        HttpEncodingAutoConfiguration.class
    })
    static class App {}

    private MvcApp() {}

    static OrderServer start(@Nullable IdempotencyFilter gate) {
        AtomicLong runs = new AtomicLong();
        return new OrderServer(
                new SpringApplicationBuilder(App.class)
                        .web(WebApplicationType.SERVLET)
                        .properties(Map.of(
                                "server.port", "0",
                                "server.address", "127.0.0.1",
                                "spring.main.banner-mode", "off",
                                // Tomcat ends a connection after 100 requests, Netty never does
                                "server.tomcat.max-keep-alive-requests", "-1"))
                        .initializers((GenericApplicationContext context) -> {
                            context.registerBean(OrderController.class, () -> new OrderController(runs));
                            if (gate != null) {
                                context.registerBean("gate", FilterRegistrationBean.class, () -> registration(gate));
                            }
                        })
                        .run(),
                runs);
    }

    private static FilterRegistrationBean<IdempotencyFilter> registration(IdempotencyFilter gate) {
        FilterRegistrationBean<IdempotencyFilter> bean = new FilterRegistrationBean<>(gate);
        bean.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
        bean.setAsyncSupported(true);
        return bean;
    }
}
