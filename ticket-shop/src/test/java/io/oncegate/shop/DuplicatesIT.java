package io.oncegate.shop;

import static io.oncegate.shop.Shop.TWO_SEATS;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.TestDatabase;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many copies of one order at once, and many orders for the last seats, on each database. */
class DuplicatesIT {
    private static final int COPIES = 200;

    @ParameterizedTest
    @EnumSource(names = {"H2", "MARIADB", "POSTGRESQL"})
    void sellsOnceHoweverOftenItIsAsked(Databases kind) throws Exception {
        try (TestDatabase database = kind.fresh();
                Shop shop = Shop.on(database, StepStorm.QUICK);
                LogWatch log = new LogWatch()) {
            copiesOfOneOrder(shop, "\"storm\"");
            // and again when Redis has lost everything in the middle
            copiesOfOneOrderWhileRedisForgets(shop, "\"flushed\"");
            lastSeats(shop);
            StepStorm.rage(shop);
            // MariaDB compares no such letter with a number's
            assertThat(shop.get(Shop.unique("reader"), "/api/orders/%C3%A4").status())
                    .isEqualTo(404);
            assertThat(log.errors()).isEmpty();
        }
    }

    private static void copiesOfOneOrder(Shop shop, String key) {
        String user = Shop.unique("storm");
        int stock = shop.stock(1);

        List<Answer> answers = all(IntStream.range(0, COPIES)
                .mapToObj(copy -> shop.sendAsync(shop.post(user, key, TWO_SEATS)))
                .toList());

        assertThat(answers).extracting(Answer::status).containsOnly(201);
        assertThat(answers).extracting(Answer::body).containsOnly(answers.get(0).body());
        assertThat(answers)
                .extracting(answer -> answer.header("Location"))
                .containsOnly(answers.get(0).header("Location"));
        assertThat(answers).filteredOn(answer -> !answer.replayed()).hasSize(1);
        assertThat(shop.ordersOf(user)).isEqualTo(1);
        assertThat(shop.stock(1)).isEqualTo(stock - 2);
    }

    private static void copiesOfOneOrderWhileRedisForgets(Shop shop, String key) throws Exception {
        String user = Shop.unique("storm");
        int stock = shop.stock(2);

        List<CompletableFuture<Answer>> sent = new java.util.ArrayList<>();
        for (int copy = 0; copy < COPIES; copy++) {
            sent.add(shop.sendPatiently(shop.post(user, key, "{\"sessionId\":2,\"quantity\":1}")));
            if (copy % 20 == 0) {
                shop.flushRedis();
            }
        }
        List<Answer> answers = all(sent);

        assertThat(answers).extracting(Answer::status).containsOnly(201);
        assertThat(answers).extracting(Answer::body).containsOnly(answers.get(0).body());
        assertThat(shop.ordersOf(user)).isEqualTo(1);
        assertThat(shop.stock(2)).isEqualTo(stock - 1);
    }

    private static void lastSeats(Shop shop) {
        List<Answer> answers = all(IntStream.range(0, 40)
                .mapToObj(buyer ->
                        shop.sendPatiently(shop.post(Shop.unique("late"), "k", "{\"sessionId\":3,\"quantity\":1}")))
                .toList());

        assertThat(answers).extracting(Answer::status).containsOnly(201, 409);
        assertThat(answers).filteredOn(answer -> answer.status() == 201).hasSize(3);
        assertThat(shop.stock(3)).isZero();
        assertThat(shop.number("SELECT count(*) FROM orders WHERE session_id = 3"))
                .isEqualTo(3);
    }

    private static List<Answer> all(List<CompletableFuture<Answer>> sent) {
        return sent.stream().map(CompletableFuture::join).toList();
    }
}
