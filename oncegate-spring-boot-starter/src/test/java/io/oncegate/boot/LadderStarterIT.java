package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.spi.RecordBrowser.Entry;
import io.oncegate.core.spi.RecordState;
import io.oncegate.spring.annotation.Idempotent;
import io.oncegate.spring.mvc.ScopeResolver;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application whose methods and handlers climb the ladder: Redis in front of its own database. */
class LadderStarterIT {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static RedisServer redis;
    private static ConfigurableApplicationContext application;
    private static Ledger ledger;
    private static TransactionTemplate transactions;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration(exclude = ServletWebSecurityAutoConfiguration.class)
    @Import({Ledger.class, Payments.class})
    static class Application {
        @Bean
        ScopeResolver callers() {
            return request -> Scope.of("ann");
        }
    }

    static class Ledger {
        private final JdbcTemplate jdbc;

        Ledger(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
            jdbc.execute("CREATE TABLE entry (id VARCHAR(40), amount INT)");
        }

        // snippet: service
        @Idempotent(operation = "ledger.enter", key = "#id", scope = Idempotent.GLOBAL, mode = Idempotent.Mode.LADDER)
        @Transactional
        public int enter(String id, int amount) {
            jdbc.update("INSERT INTO entry VALUES (?, ?)", id, amount);
            return amount;
        }
        // end snippet

        public void insert(String id) {
            jdbc.update("INSERT INTO entry VALUES (?, ?)", id, 1);
        }

        public int count(String id) {
            Integer count = jdbc.queryForObject("SELECT COUNT(*) FROM entry WHERE id = ?", Integer.class, id);
            return count == null ? 0 : count;
        }
    }

    @RestController
    static class Payments {
        private final Ledger ledger;

        Payments(Ledger ledger) {
            this.ledger = ledger;
        }

        @Idempotent(operation = "payment.make", mode = Idempotent.Mode.LADDER)
        @PostMapping("/payments/{id}")
        String pay(@PathVariable String id) {
            ledger.insert(id);
            return "paid " + ledger.count(id);
        }

        @PostMapping("/transfers/{id}")
        String transfer(@PathVariable String id) {
            ledger.insert(id);
            return "transferred " + ledger.count(id);
        }
    }

    @BeforeAll
    static void start() {
        redis = RedisServers.own();
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.SERVLET)
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "spring.main.banner-mode=off",
                        "spring.datasource.generate-unique-name=true",
                        "oncegate.jdbc.create-schema=true",
                        "oncegate.redis.timeout=10s",
                        "oncegate.http.routes[0].path=/transfers/{id}",
                        "oncegate.http.routes[0].operation=transfer.make",
                        "oncegate.http.routes[0].ladder=true",
                        "oncegate.redis.uri=" + redis.uri().toURI())
                .run();
        ledger = application.getBean(Ledger.class);
        transactions = new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
    }

    @AfterAll
    static void stop() {
        application.close();
        redis.close();
    }

    private static RecordState inRedis(String id) {
        return application
                .getBean(FastRecords.class)
                .browser()
                .find(OperationKey.of("ledger.enter", Scope.global(), id).id())
                .map(Entry::state)
                .orElse(RecordState.FREE);
    }

    @Test
    @DisplayName(
            "C23: an annotated method is answered by Redis, and by the database when Redis has lost it or is stopped")
    void anAnnotatedMethod() throws Exception {
        assertThat(ledger.enter("a", 7)).isEqualTo(7);
        assertThat(inRedis("a")).isEqualTo(RecordState.SUCCEEDED);
        assertThat(ledger.enter("a", 7)).isEqualTo(7);
        redis.send("FLUSHALL");
        assertThat(ledger.enter("a", 7)).isEqualTo(7);
        assertThat(inRedis("a")).isEqualTo(RecordState.SUCCEEDED);
        redis.kill();
        try {
            assertThat(ledger.enter("a", 7)).isEqualTo(7);
            assertThat(ledger.enter("b", 8)).isEqualTo(8);
        } finally {
            redis.start();
        }
        Await.until(
                "Redis is asked again, and refilled",
                Duration.ofSeconds(60),
                () -> ledger.enter("b", 8) == 8 && inRedis("b") == RecordState.SUCCEEDED);
        assertThat(ledger.count("a")).isOne();
        assertThat(ledger.count("b")).isOne();
    }

    @Test
    @DisplayName("within a caller's transaction Redis is settled after the commit, and not at all after a rollback")
    void theCallersTransaction() {
        transactions.executeWithoutResult(status -> {
            assertThat(ledger.enter("c", 1)).isEqualTo(1);
            assertThat(ledger.enter("c", 1)).as("again in the same transaction").isEqualTo(1);
            assertThat(inRedis("c")).isEqualTo(RecordState.RUNNING);
        });
        assertThat(inRedis("c")).isEqualTo(RecordState.SUCCEEDED);
        assertThat(ledger.count("c")).isOne();

        transactions.executeWithoutResult(status -> {
            ledger.enter("d", 1);
            status.setRollbackOnly();
        });
        assertThat(inRedis("d")).isEqualTo(RecordState.FREE);
        assertThat(ledger.enter("d", 1)).isEqualTo(1);
        assertThat(ledger.count("d")).isOne();
    }

    @Test
    @DisplayName("a nested transaction that is rolled back frees Redis, although the outer one commits")
    void aNestedTransaction() {
        TransactionTemplate nested = new TransactionTemplate(
                application.getBean(PlatformTransactionManager.class),
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_NESTED));
        transactions.executeWithoutResult(outer -> assertThatThrownBy(() -> nested.executeWithoutResult(inner -> {
                    ledger.enter("e", 1);
                    throw new IllegalStateException("back to the savepoint");
                }))
                .hasMessage("back to the savepoint"));
        assertThat(ledger.count("e")).isZero();
        assertThat(inRedis("e")).isEqualTo(RecordState.FREE);
        assertThat(ledger.enter("e", 1)).isEqualTo(1);
        assertThat(ledger.count("e")).isOne();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/payments/", "/transfers/"})
    @DisplayName(
            "C23: an annotated handler and a configured route are answered by Redis, or by the database where Redis is lost")
    void aHandler(String path) throws Exception {
        String id = UUID.randomUUID().toString();
        String answer = post(path + id).body();
        assertThat(answer).endsWith(" 1");
        assertReplayed(post(path + id), answer);
        redis.send("FLUSHALL");
        assertReplayed(post(path + id), answer);
        assertThat(redis.send("DBSIZE")).as("refilled").contains("1");
        assertReplayed(post(path + id), answer);
        assertThat(ledger.count(id)).isOne();
        assertThat(application.getBean(GateRoutes.class).ladder()).hasSize(2);
    }

    private static void assertReplayed(HttpResponse<String> response, String answer) {
        assertThat(response.body()).isEqualTo(answer);
        assertThat(response.headers().firstValue("Idempotent-Replayed")).contains("true");
    }

    private static HttpResponse<String> post(String path) throws Exception {
        String port = application.getEnvironment().getProperty("local.server.port");
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .header("Idempotency-Key", "\"k\"")
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
