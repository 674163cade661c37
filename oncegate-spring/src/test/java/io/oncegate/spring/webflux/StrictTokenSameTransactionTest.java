package io.oncegate.spring.webflux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.Oncegate;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryTokenStore;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.core.token.TokenIssue;
import io.oncegate.core.token.TokenMode;
import io.oncegate.core.token.TokenSecret;
import io.oncegate.core.token.TokenUse;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import io.oncegate.jdbc.TransactionSource;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.token.TokenKeySource;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.TestDatabase;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import reactor.core.publisher.Mono;

/** A transaction does not reach reactive handlers: a strict token does not let them run without it. */
class StrictTokenSameTransactionTest {
    @Test
    void aStrictTokenDoesNotRunHandlersWithoutTheirTransaction() throws Exception {
        Scope alice = Scope.of("alice");
        OnceTokens tokens = OnceTokens.signedWith(TokenSecret.of(1, new byte[32]))
                .store(new MemoryTokenStore())
                .giveBackOnFailure()
                .build();
        String token = ((TokenIssue.Issued) tokens.issue(alice, "order.create", TokenMode.STRICT)).token();
        AtomicInteger runs = new AtomicInteger();
        try (TestDatabase database = Databases.H2.fresh()) {
            var pool = database.pool(4, true);
            JdbcSchema.of(pool).create();
            try (Oncegate oncegate = Oncegate.sameTransaction(
                            JdbcTransactionalRecordStore.builder(TransactionSource.of(pool))
                                    .build())
                    .build()) {
                IdempotencyWebFilter filter = IdempotencyWebFilter.builder(oncegate, exchange -> Mono.just(alice))
                        .route(IdempotentRoute.post("/orders", "order.create")
                                .key(TokenKeySource.of(tokens, "order.create", Duration.ofDays(1)))
                                .build())
                        .build();
                Mono<Void> answer = filter.filter(
                        MockServerWebExchange.from(MockServerHttpRequest.post("/orders")
                                .header("Once-Token", token)
                                .build()),
                        exchange -> Mono.fromRunnable(runs::incrementAndGet));
                assertThatThrownBy(() -> answer.block(Duration.ofSeconds(30)))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("claimed mode");
            }
        }
        assertThat(runs).hasValue(0);
        assertThat(tokens.use(token, alice, "order.create", Duration.ofDays(1)))
                .as("nothing has run, and the token is given back")
                .isInstanceOf(TokenUse.Consumed.class);
    }
}
