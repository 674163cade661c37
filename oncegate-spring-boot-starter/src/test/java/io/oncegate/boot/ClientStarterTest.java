package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.oncegate.spring.client.IdempotencyKeys;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.client.autoconfigure.HttpClientAutoConfiguration;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** The application's own client builders send keys to the hosts that the properties name. */
class ClientStarterTest {
    private final List<String> keys = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private String url;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    HttpClientAutoConfiguration.class,
                    RestClientAutoConfiguration.class,
                    RestTemplateAutoConfiguration.class,
                    WebClientAutoConfiguration.class,
                    ClientAutoConfiguration.class));

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            List<String> sent = exchange.getRequestHeaders().get("Idempotency-Key");
            keys.add(sent == null ? "none" : sent.get(0));
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        url = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    @AfterEach
    void close() {
        server.stop(0);
    }

    @Test
    void allBuildersSendKeysToTheNamedHosts() {
        application
                .withPropertyValues("oncegate.client.hosts=127.0.0.1", "oncegate.client.retry.enabled=true")
                .run(context -> {
                    RestClient rest = context.getBean(RestClient.Builder.class).build();
                    rest.post().uri(url).body("x").retrieve().toBodilessEntity();
                    context.getBean(RestTemplateBuilder.class).build().postForLocation(url, "x");
                    context.getBean(WebClient.Builder.class)
                            .build()
                            .post()
                            .uri(url)
                            .bodyValue("x")
                            .retrieve()
                            .toBodilessEntity()
                            .block();
                    rest.get().uri(url).retrieve().toBodilessEntity();
                });
        assertThat(keys).hasSize(4);
        assertThat(keys.subList(0, 3)).doesNotHaveDuplicates().allMatch(key -> key.matches("\"[0-9a-f-]{36}\""));
        assertThat(keys.get(3)).isEqualTo("none");
    }

    @Test
    void strangersGetNoKeys() {
        application
                .withPropertyValues("oncegate.client.hosts=shop.example.com")
                .run(context -> context.getBean(RestClient.Builder.class)
                        .build()
                        .post()
                        .uri(url)
                        .body("x")
                        .retrieve()
                        .toBodilessEntity());
        assertThat(keys).containsExactly("none");
    }

    @Test
    void nothingIsSentUnlessHostsAreNamed() {
        application.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyKeys.class));
    }
}
