package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.Scope;
import io.oncegate.spring.annotation.Idempotent;
import io.oncegate.spring.mvc.ScopeResolver;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** An application, its servlet and its error page at other addresses than usual, and all of it lazy. */
class ServletPathIT {
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration(exclude = {DataSourceAutoConfiguration.class, ServletWebSecurityAutoConfiguration.class})
    @Import(Parcels.class)
    static class Application {
        @Bean
        ScopeResolver callers() {
            return request -> Scope.of("ann");
        }
    }

    @RestController
    static class Parcels {
        private final AtomicInteger runs = new AtomicInteger();

        @Idempotent("parcel.send")
        @PostMapping("/parcels/{id}")
        String send(@PathVariable String id) {
            if (id.equals("lost")) {
                throw new ResponseStatusException(HttpStatus.CONFLICT, "lost in run " + runs.incrementAndGet());
            }
            return "run " + runs.incrementAndGet() + " of " + id;
        }

        @PostMapping("/letters")
        String write() {
            return "letter " + runs.incrementAndGet();
        }
    }

    @Test
    void theGateFindsItsRoutesAndTheErrorPage() throws Exception {
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.SERVLET)
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "spring.main.banner-mode=off",
                        "spring.main.lazy-initialization=true",
                        "server.servlet.context-path=/shop",
                        "spring.mvc.servlet.path=/api",
                        "spring.web.error.path=/sorry",
                        "spring.web.error.include-message=always",
                        "oncegate.store=memory",
                        "oncegate.http.routes[0].path=letters",
                        "oncegate.http.routes[0].operation=letter.write")
                .run()) {
            for (String path : new String[] {"/parcels/1", "/parcels/lost", "/letters"}) {
                HttpResponse<String> first = post(application, path);
                HttpResponse<String> again = post(application, path);
                assertThat(first.statusCode()).isEqualTo(path.endsWith("lost") ? 409 : 200);
                assertThat(again.statusCode()).isEqualTo(first.statusCode());
                assertThat(again.body()).isEqualTo(first.body());
                assertThat(again.headers().firstValue("Idempotent-Replayed"))
                        .as(path)
                        .contains("true");
            }
            assertThat(post(application, "/parcels/lost").body())
                    .as("Spring Boot's own error page")
                    .contains("\"timestamp\"", "lost in run");
        }
    }

    private static HttpResponse<String> post(ConfigurableApplicationContext application, String path) throws Exception {
        String port = application.getEnvironment().getProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/shop/api" + path))
                .header("Idempotency-Key", "\"k\"")
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }
}
