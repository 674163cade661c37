package io.oncegate.spring.mvc;

import static io.oncegate.spring.gate.GateServer.key;
import static io.oncegate.spring.gate.GateServer.replayed;
import static io.oncegate.spring.gate.GateServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.Oncegate;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import io.oncegate.spring.gate.GateServer;
import io.oncegate.spring.gate.Runs;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.tx.SpringTransactionSource;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.TestDatabase;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The gate in same-transaction mode: record and effect of a whole request commit together. */
class GateTransactionIT {
    @RestController
    static class Tickets {
        private final JdbcClient jdbc;
        private final TransactionTemplate transaction;
        private final Runs runs;

        Tickets(DataSource dataSource, JdbcTransactionManager manager, Runs runs) {
            this.jdbc = JdbcClient.create(dataSource);
            this.transaction = new TransactionTemplate(manager);
            this.runs = runs;
        }

        /** As a transactional service: it takes part in the gate's transaction. */
        @PostMapping("/tickets")
        @ResponseStatus(org.springframework.http.HttpStatus.CREATED)
        String buy(@RequestParam int quantity, @RequestParam(defaultValue = "false") boolean fail) {
            int run = runs.next("tickets");
            return transaction.execute(status -> {
                jdbc.sql("INSERT INTO sale VALUES (?, ?)").params(run, quantity).update();
                int taken = jdbc.sql("UPDATE stock SET left_over = left_over - ? WHERE left_over >= ?")
                        .params(quantity, quantity)
                        .update();
                if (fail) {
                    throw new IllegalStateException("after the writes");
                }
                if (taken == 0) {
                    throw new TestControllers.SoldOut();
                }
                return "sale " + run;
            });
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Databases.class,
            names = {"H2", "POSTGRESQL", "MARIADB"})
    void recordAndEffectOfARequestCommitTogether(Databases kind) throws Exception {
        try (TestDatabase database = kind.fresh()) {
            var pool = database.pool(10, true);
            JdbcSchema.of(pool).create();
            JdbcClient jdbc = JdbcClient.create(pool);
            jdbc.sql("CREATE TABLE sale (run INT PRIMARY KEY, quantity INT)").update();
            jdbc.sql("CREATE TABLE stock (left_over INT)").update();
            jdbc.sql("INSERT INTO stock VALUES (10)").update();
            JdbcTransactionManager manager = new JdbcTransactionManager(pool);
            Oncegate oncegate = Oncegate.sameTransaction(
                            JdbcTransactionalRecordStore.builder(new SpringTransactionSource(manager, pool))
                                    .build())
                    .build();
            try (oncegate;
                    GateServer server = MvcServer.start(
                            oncegate,
                            gate -> gate.route(IdempotentRoute.post("/tickets", "ticket.buy")
                                            .build())
                                    .route(IdempotentRoute.post("/async/{kind}", "async")
                                            .build()),
                            context -> {
                                context.registerBean(
                                        DataSource.class, () -> pool, bean -> bean.setDestroyMethodName(""));
                                context.registerBean(JdbcTransactionManager.class, () -> manager);
                                context.registerBean(Tickets.class);
                            })) {
                kept(server, jdbc);
                refused(server, jdbc);
                failed(server, jdbc);
                stormed(server, jdbc);
                assertThat(server.send(server.json("/async/deferred", key(), "{}"))
                                .statusCode())
                        .isEqualTo(500);
                assertThat(jdbc.sql("SELECT COUNT(*) FROM oncegate_record")
                                .query(Integer.class)
                                .single())
                        .isEqualTo(3 + 1);
            }
        }
    }

    private static HttpResponse<byte[]> buy(GateServer server, String key, String query) {
        return server.send(server.json("/tickets?" + query, key, "{}"));
    }

    private static int left(JdbcClient jdbc) {
        return jdbc.sql("SELECT left_over FROM stock").query(Integer.class).single();
    }

    private static int sales(JdbcClient jdbc) {
        return jdbc.sql("SELECT COUNT(*) FROM sale").query(Integer.class).single();
    }

    private static void kept(GateServer server, JdbcClient jdbc) {
        String key = key();
        HttpResponse<byte[]> first = buy(server, key, "quantity=2");
        HttpResponse<byte[]> second = buy(server, key, "quantity=2");
        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(second.statusCode()).isEqualTo(201);
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(left(jdbc)).isEqualTo(8);
    }

    private static void refused(GateServer server, JdbcClient jdbc) {
        String key = key();
        HttpResponse<byte[]> first = buy(server, key, "quantity=9");
        HttpResponse<byte[]> second = buy(server, key, "quantity=9");
        assertThat(first.statusCode()).as(text(first)).isEqualTo(409);
        assertThat(second.statusCode()).isEqualTo(409);
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(replayed(second)).isTrue();
        assertThat(sales(jdbc)).isEqualTo(1);
    }

    private static void failed(GateServer server, JdbcClient jdbc) {
        String key = key();
        assertThat(buy(server, key, "quantity=1&fail=true").statusCode()).isEqualTo(500);
        assertThat(sales(jdbc)).isEqualTo(1);
        assertThat(left(jdbc)).isEqualTo(8);
        assertThat(buy(server, key, "quantity=1&fail=false").statusCode()).isEqualTo(201);
        assertThat(left(jdbc)).isEqualTo(7);
    }

    private static void stormed(GateServer server, JdbcClient jdbc) throws Exception {
        int before = left(jdbc);
        String key = key();
        List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            answers.add(server.sendAsync(server.json("/tickets?quantity=1", key, "{}")));
        }
        Set<String> bodies = new HashSet<>();
        for (CompletableFuture<HttpResponse<byte[]>> answer : answers) {
            HttpResponse<byte[]> response = answer.get(60, TimeUnit.SECONDS);
            assertThat(response.statusCode()).as(text(response)).isIn(201, 409);
            if (response.statusCode() == 201) {
                bodies.add(text(response));
            } else {
                assertThat(text(response)).contains("in-progress");
            }
        }
        assertThat(bodies).hasSize(1);
        assertThat(left(jdbc)).isEqualTo(before - 1);
    }
}
