package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.Oncegate;
import io.oncegate.core.key.Scope;
import io.oncegate.spring.annotation.Idempotent;
import io.oncegate.spring.annotation.Oncegates;
import io.oncegate.spring.mvc.ScopeResolver;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** An application in which protecting an endpoint or a method is one annotation. */
class AnnotatedStarterIT {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static ConfigurableApplicationContext application;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration(exclude = ServletWebSecurityAutoConfiguration.class)
    @Import({Refunds.class, Ledger.class})
    static class Application {
        @Bean
        ScopeResolver callers() {
            return request -> {
                String user = request.getHeader("X-User");
                return user == null ? null : Scope.of(user);
            };
        }
    }

    @RestController
    static class Refunds {
        private final AtomicInteger runs = new AtomicInteger();
        private final Ledger ledger;

        Refunds(Ledger ledger) {
            this.ledger = ledger;
        }

        // snippet: handler
        @Idempotent(operation = "refund.make", retention = "${refunds.retention}")
        @PostMapping("/refunds/{order}")
        String refund(@PathVariable String order, @RequestBody String amount) {
            return "refund " + runs.incrementAndGet() + " of " + order + ": " + amount;
        }
        // end snippet

        @Idempotent(operation = "refund.book", mode = Idempotent.Mode.SAME_TRANSACTION)
        @PostMapping("/bookings/{id}")
        String book(@PathVariable String id, @RequestBody String amount) {
            return "booked " + ledger.insert(id, amount) + " by run " + runs.incrementAndGet();
        }

        @PostMapping("/entries/{id}")
        String enter(@PathVariable String id, @RequestBody String amount) {
            return ledger.enter(id, amount);
        }
    }

    static class Ledger {
        private final JdbcTemplate jdbc;

        Ledger(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
            jdbc.execute("CREATE TABLE entry (id VARCHAR(40), amount VARCHAR(40))");
        }

        // snippet: service
        @Idempotent(operation = "ledger.enter", key = "#id", mode = Idempotent.Mode.SAME_TRANSACTION)
        @Transactional
        public String enter(String id, String amount) {
            jdbc.update("INSERT INTO entry VALUES (?, ?)", id, amount);
            return "entered " + jdbc.queryForObject("SELECT COUNT(*) FROM entry", Integer.class);
        }
        // end snippet

        int insert(String id, String amount) {
            return jdbc.update("INSERT INTO entry VALUES (?, ?)", id, amount);
        }
    }

    @RestController
    static class SafeOnly {
        @Idempotent("nothing.to.protect")
        @GetMapping("/safe")
        String safe() {
            return "safe";
        }
    }

    @BeforeAll
    static void start() {
        application = started(Application.class);
    }

    private static ConfigurableApplicationContext started(Class<?>... sources) {
        return new SpringApplicationBuilder(sources)
                .web(WebApplicationType.SERVLET)
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "spring.main.banner-mode=off",
                        "spring.datasource.generate-unique-name=true",
                        "oncegate.store=jdbc",
                        "oncegate.jdbc.create-schema=true",
                        "refunds.retention=36h")
                .run();
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void anAnnotatedHandlerIsARouteOfTheGate() throws Exception {
        HttpResponse<String> first = post("ann", "/refunds/7", "k", "10");
        HttpResponse<String> again = post("ann", "/refunds/7", "k", "10");
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.headers().firstValue("Idempotent-Replayed")).contains("true");
        assertThat(post("ann", "/refunds/7", "k", "99").statusCode()).isEqualTo(422);
        assertThat(post("ann", "/refunds/7", null, "10").statusCode()).isEqualTo(400);
        assertThat(post("ann", "/refunds/8", "k", "10").body()).contains("of 8");
        assertThat(post("bob", "/refunds/7", "k", "10").body()).isNotEqualTo(first.body());
    }

    @Test
    void handlersOfBothModesAreGuardedInOneApplication() throws Exception {
        HttpResponse<String> first = post("ann", "/bookings/b1", "b", "10");
        HttpResponse<String> again = post("ann", "/bookings/b1", "b", "10");
        assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.headers().firstValue("Idempotent-Replayed")).contains("true");
        assertThat(entries("b1")).isEqualTo(1);
    }

    @Test
    void theAnnotationsPlaceholdersAreThoseOfTheApplication() {
        assertThat(application.getBean(GateRoutes.class).claimed())
                .singleElement()
                .satisfies(route -> assertThat(route.operation().retention()).hasHours(36));
    }

    @Test
    void anAnnotatedServiceJoinsTheTransactionAndTakesTheCallerFromTheRequest() throws Exception {
        HttpResponse<String> first = post("ann", "/entries/e1", null, "10");
        HttpResponse<String> again = post("ann", "/entries/e1", null, "10");
        assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(entries("e1")).isEqualTo(1);
        assertThat(post("bob", "/entries/e1", null, "10").statusCode()).isEqualTo(200);
        assertThat(entries("e1")).isEqualTo(2);
    }

    @Test
    void theErrorsOfAnAnnotatedServiceAreProblems() throws Exception {
        post("ann", "/entries/e2", null, "10");
        HttpResponse<String> other = post("ann", "/entries/e2", null, "99");
        assertThat(other.statusCode()).isEqualTo(422);
        assertThat(other.body()).contains("urn:oncegate:problem:payload-mismatch");
        assertThat(post(null, "/entries/e2", null, "10").statusCode()).isEqualTo(401);
    }

    @Test
    void anAnnotationThatProtectsNothingStopsTheStart() {
        assertThatThrownBy(() -> started(Application.class, SafeOnly.class))
                .rootCause()
                .hasMessageContaining("SafeOnly.safe")
                .hasMessageContaining("no effect to protect");
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    static class SameTransactionByDefault {
        @Bean
        Oncegates oncegates(
                @Qualifier("claimedOncegate") Oncegate claimed,
                @Qualifier("sameTransactionOncegate") Oncegate sameTransaction) {
            return new Oncegates(claimed, sameTransaction, Idempotent.Mode.SAME_TRANSACTION);
        }
    }

    @Test
    void aHandlerThatNamesNoModeHasTheDefaultOne() {
        try (ConfigurableApplicationContext other = started(Application.class, SameTransactionByDefault.class)) {
            assertThat(other.getBean(GateRoutes.class).claimed()).isEmpty();
            assertThat(other.getBean(GateRoutes.class).sameTransaction()).hasSize(2);
        }
    }

    @RestController
    static class Twice {
        @Idempotent("refund.make")
        @PostMapping("/twice")
        String twice() {
            return "twice";
        }
    }

    @Test
    void twoHandlersOfOneNameStopTheStart() {
        assertThatThrownBy(() -> started(Application.class, Twice.class))
                .rootCause()
                .hasMessageContaining("Twice.twice")
                .hasMessageContaining("Refunds.refund")
                .hasMessageContaining("operation name");
    }

    private static int entries(String id) {
        return application
                .getBean(JdbcTemplate.class)
                .queryForObject("SELECT COUNT(*) FROM entry WHERE id = ?", Integer.class, id);
    }

    private static HttpResponse<String> post(String user, String path, String key, String body) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port") + path))
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (user != null) {
            request.header("X-User", user);
        }
        if (key != null) {
            request.header("Idempotency-Key", '"' + key + '"');
        }
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
