package io.oncegate.spring.mvc;

import io.oncegate.core.Oncegate;
import io.oncegate.core.key.Scope;
import jakarta.servlet.DispatcherType;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
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
final class GateServer implements AutoCloseable {
    final Runs runs = new Runs();
    private final ConfigurableApplicationContext context;
    private final String root;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

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

    private GateServer(IdempotencyFilter filter, Consumer<GenericApplicationContext> beans) {
        context = new SpringApplicationBuilder(App.class, TestControllers.class)
                .properties(Map.of(
                        "server.port", "0",
                        "server.address", "127.0.0.1",
                        "spring.main.banner-mode", "off",
                        "spring.mvc.async.request-timeout", "1500",
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
        root = "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port");
    }

    /** A server whose callers are named by the header X-User; tests add routes and rules. */
    static GateServer start(Oncegate oncegate, Consumer<IdempotencyFilter.Builder> more) {
        return start(oncegate, more, context -> {});
    }

    static GateServer start(
            Oncegate oncegate, Consumer<IdempotencyFilter.Builder> more, Consumer<GenericApplicationContext> beans) {
        IdempotencyFilter.Builder builder = IdempotencyFilter.builder(oncegate, request -> {
            String user = request.getHeader("X-User");
            return user == null ? null : Scope.of(user);
        });
        more.accept(builder);
        return new GateServer(builder.build(), beans);
    }

    static String key() {
        return "\"" + UUID.randomUUID() + "\"";
    }

    URI uri(String path) {
        return URI.create(root + path);
    }

    int port() {
        return uri("/").getPort();
    }

    HttpClient client() {
        return client;
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(uri(path)).timeout(Duration.ofSeconds(20));
    }

    HttpRequest.Builder post(String path, String key, String type, byte[] body) {
        return request(path)
                .header("Idempotency-Key", key)
                .header("X-User", "alice")
                .header("Content-Type", type)
                .POST(BodyPublishers.ofByteArray(body));
    }

    HttpRequest.Builder json(String path, String key, String body) {
        return post(path, key, "application/json", body.getBytes(StandardCharsets.UTF_8));
    }

    HttpResponse<byte[]> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    CompletableFuture<HttpResponse<byte[]>> sendAsync(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), BodyHandlers.ofByteArray());
    }

    static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    static boolean replayed(HttpResponse<?> response) {
        return response.headers().firstValue("Idempotent-Replayed").orElse("").equals("true");
    }

    @Override
    public void close() {
        context.close();
    }
}
