package io.oncegate.spring.mvc;

import static io.oncegate.spring.gate.GateServer.replayed;
import static io.oncegate.spring.gate.GateServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.Oncegate;
import io.oncegate.core.key.Scope;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.core.token.TokenIssue;
import io.oncegate.core.token.TokenMode;
import io.oncegate.core.token.TokenSecret;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.jdbc.JdbcTokenStore;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import io.oncegate.spring.gate.GateRules;
import io.oncegate.spring.gate.GateServer;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.token.TokenKeySource;
import io.oncegate.spring.tx.SpringTransactionSource;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.TestDatabase;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** One-time tokens at a gate in same-transaction mode. */
class GateTokenTransactionIT {
    /** A handler that writes and leaves the transaction to the gate. */
    @RestController
    static class Sales {
        private final JdbcClient jdbc;

        Sales(DataSource dataSource) {
            this.jdbc = JdbcClient.create(dataSource);
        }

        @PostMapping("/sales/{status}")
        ResponseEntity<String> sell(@PathVariable int status) {
            jdbc.sql("INSERT INTO sale VALUES (1)").update();
            return ResponseEntity.status(status).body("sold");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Databases.class,
            names = {"H2", "POSTGRESQL"})
    @DisplayName("G6: with tokens of both modes the handlers stand in the gate's transaction")
    void handlersStandInTheGatesTransaction(Databases kind) throws Exception {
        try (TestDatabase database = kind.fresh()) {
            DataSource pool = database.pool(6, true);
            JdbcSchema.of(pool).create();
            JdbcSchema.tokens(pool).create();
            JdbcClient jdbc = JdbcClient.create(pool);
            jdbc.sql("CREATE TABLE sale (quantity INT)").update();
            JdbcTransactionManager manager = new JdbcTransactionManager(pool);
            OnceTokens tokens = tokens(pool, Instant.now());
            try (Oncegate oncegate = Oncegate.sameTransaction(
                                    JdbcTransactionalRecordStore.builder(new SpringTransactionSource(manager, pool))
                                            .build())
                            .build();
                    GateServer server = MvcServer.start(
                            oncegate,
                            gate -> gate.route(IdempotentRoute.post("/sales/{status}", "sale")
                                    .key(TokenKeySource.of(tokens, "sale", Duration.ofDays(1)))
                                    .build()),
                            context -> {
                                context.registerBean(
                                        DataSource.class, () -> pool, bean -> bean.setDestroyMethodName(""));
                                context.registerBean(Sales.class);
                            })) {
                replay(server, jdbc, tokens);
                strict(server, jdbc, tokens);
                expired(server, jdbc, tokens(pool, Instant.now().minus(Duration.ofMinutes(11))));
            }
        }
    }

    private static OnceTokens tokens(DataSource pool, Instant now) {
        return OnceTokens.signedWith(TokenSecret.of(1, new byte[32]))
                .store(JdbcTokenStore.of(pool))
                .giveBackOnFailure()
                .clock(() -> now)
                .build();
    }

    private static String token(OnceTokens tokens, TokenMode mode) {
        return ((TokenIssue.Issued) tokens.issue(Scope.of("alice"), "sale", mode)).token();
    }

    private static HttpResponse<byte[]> sell(GateServer server, int status, String token) {
        return server.send(server.request("/sales/" + status)
                .header("X-User", "alice")
                .header("Once-Token", token)
                .POST(BodyPublishers.noBody()));
    }

    private static int sales(JdbcClient jdbc) {
        return jdbc.sql("SELECT COUNT(*) FROM sale").query(Integer.class).single();
    }

    private static void replay(GateServer server, JdbcClient jdbc, OnceTokens tokens) {
        String token = token(tokens, TokenMode.REPLAY);
        assertThat(sell(server, 503, token).statusCode()).isEqualTo(503);
        assertThat(sales(jdbc)).as("rolled back").isZero();
        assertThat(sell(server, 201, token).statusCode()).isEqualTo(201);
        HttpResponse<byte[]> again = sell(server, 201, token);
        assertThat(text(again)).isEqualTo("sold");
        assertThat(replayed(again)).isTrue();
        assertThat(sales(jdbc)).isOne();
    }

    private static void strict(GateServer server, JdbcClient jdbc, OnceTokens tokens) {
        String token = token(tokens, TokenMode.STRICT);
        assertThat(sell(server, 503, token).statusCode()).isEqualTo(503);
        assertThat(sales(jdbc))
                .as("nothing has happened, and the token is given back")
                .isOne();
        assertThat(sell(server, 201, token).statusCode()).isEqualTo(201);
        GateRules.assertProblem(sell(server, 201, token), 409, "token-used");
        assertThat(sales(jdbc)).isEqualTo(2);
    }

    private static void expired(GateServer server, JdbcClient jdbc, OnceTokens issuedLongAgo) {
        String token = token(issuedLongAgo, TokenMode.REPLAY);
        GateRules.assertProblem(sell(server, 201, token), 403, "token-expired");
        assertThat(sales(jdbc)).isEqualTo(2);
    }
}
