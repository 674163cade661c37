package io.oncegate.spring.webflux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.Oncegate;
import io.oncegate.core.key.Scope;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import io.oncegate.jdbc.TransactionSource;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.tx.SpringTransactionSource;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import reactor.core.publisher.Mono;

class SameTransactionRefusedTest {
    @Test
    void anEngineInSameTransactionModeIsRefusedAndNothingIsRecorded() throws Exception {
        try (TestDatabase database = Databases.H2.fresh()) {
            var pool = database.pool(4, true);
            JdbcSchema.of(pool).create();
            for (TransactionSource source : List.of(
                    TransactionSource.of(pool), new SpringTransactionSource(new JdbcTransactionManager(pool), pool))) {
                AtomicInteger runs = new AtomicInteger();
                try (Oncegate oncegate = Oncegate.sameTransaction(
                                JdbcTransactionalRecordStore.builder(source).build())
                        .build()) {
                    IdempotencyWebFilter filter = IdempotencyWebFilter.builder(
                                    oncegate, exchange -> Mono.just(Scope.of("alice")))
                            .route(IdempotentRoute.post("/orders", "order.create")
                                    .build())
                            .build();
                    Mono<Void> answer = filter.filter(
                            MockServerWebExchange.from(MockServerHttpRequest.post("/orders")
                                    .header("Idempotency-Key", "k")
                                    .build()),
                            exchange -> Mono.fromRunnable(runs::incrementAndGet));
                    assertThatThrownBy(() -> answer.block(Duration.ofSeconds(30)))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("claimed mode");
                }
                assertThat(runs).hasValue(0);
                assertThat(JdbcClient.create(pool)
                                .sql("SELECT COUNT(*) FROM oncegate_record")
                                .query(Integer.class)
                                .single())
                        .isZero();
            }
        }
    }
}
