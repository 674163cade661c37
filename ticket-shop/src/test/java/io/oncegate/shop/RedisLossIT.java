package io.oncegate.shop;

import static io.oncegate.shop.Shop.TWO_SEATS;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import io.oncegate.testsupport.TcpFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Redis goes away, in good order or without a word, and comes back: a ladder needs it for speed alone. */
@DisplayName("C88: Redis down: orders are judged by the database, tokens and flash orders are refused")
class RedisLossIT {
    private static RedisServer redis;
    private static TcpFault line;
    private static Shop shop;
    private final String user = Shop.unique("patient");

    @BeforeAll
    static void start() {
        redis = RedisServers.own();
        line = TcpFault.to(redis);
        shop = Shop.start(
                "spring.datasource.url=jdbc:h2:mem:" + Shop.unique("loss") + ";DB_CLOSE_DELAY=-1",
                "shop.flash.window=10m",
                "shop.redis.uri=redis://127.0.0.1:" + line.port());
    }

    @AfterAll
    static void stop() {
        shop.close();
        line.close();
        redis.close();
    }

    /** Orders do not tell whether Redis is back; strict tokens do. */
    @AfterEach
    void redisIsUsedAgain() {
        Await.until("Redis is used again", Duration.ofSeconds(60), () -> {
            String strict = "{\"purpose\":\"order.create\",\"mode\":\"strict\"}";
            return shop.send(shop.tokenRequest(user, strict)).status() == 201;
        });
    }

    @Test
    void ordersAreJudgedWhileRedisIsStopped() {
        Answer before = shop.order(user, "before", TWO_SEATS);
        int stock = shop.stock(1);
        redis.stop();
        try (LogWatch log = new LogWatch()) {
            Answer during = shop.order(user, "during", TWO_SEATS);
            assertThat(during.status()).as(during.body()).isEqualTo(201);
            assertThat(during.replayed()).isFalse();
            repeated("during", during);
            repeated("before", before);
            Answer other = shop.order(user, "during", "{\"sessionId\":1,\"quantity\":3}");
            assertThat(other.status()).as(other.body()).isEqualTo(422);
            List<Answer> copies =
                    Stream.generate(() -> shop.sendAsync(shop.post(user, "storm", TWO_SEATS)))
                            .limit(20)
                            .toList()
                            .stream()
                            .map(CompletableFuture::join)
                            .toList();
            assertThat(copies).extracting(Answer::status).containsOnly(201);
            assertThat(copies)
                    .extracting(Answer::body)
                    .containsOnly(copies.get(0).body());
            assertThat(shop.step(user, before.orderNo(), "pay").status()).isEqualTo(200);
            assertThat(shop.send(shop.stepping(user, before.orderNo(), "pay").header("Idempotency-Key", "k"))
                            .replayed())
                    .isTrue();
            assertThat(log.errors()).isEmpty();
            assertThat(log.traces()).isEmpty();
            redis.start();
            comesBack();
            repeated("during", during);
            repeated("before", before);
            repeated("storm", copies.get(0));
        } finally {
            redis.start();
        }
        assertThat(shop.charges(before.orderNo())).isEqualTo(1);
        assertThat(shop.ordersOf(user)).isEqualTo(4);
        assertThat(shop.stock(1)).isEqualTo(stock - 6);
    }

    private void repeated(String key, Answer first) {
        Answer again = shop.order(user, key, TWO_SEATS);
        assertThat(again.status()).as(again.body()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.replayed()).isTrue();
    }

    /** An order of its own is placed, and is replayed. */
    private void comesBack() {
        Answer after = shop.order(user, "after", TWO_SEATS);
        assertThat(after.status()).isEqualTo(201);
        repeated("after", after);
    }

    @Test
    void refusesTokensWhileRedisIsStopped() {
        String replay = shop.token(user, "order.create", "replay");
        String strict = shop.token(user, "order.create", "strict");
        Visitor visitor = Visitor.browser(shop);
        String form = visitor.form(1);
        redis.stop();
        List<Answer> refused = new ArrayList<>();
        try {
            refused.add(shop.send(shop.postWithToken(user, replay, TWO_SEATS)));
            refused.add(shop.send(shop.postWithToken(user, strict, TWO_SEATS)));
            refused.add(shop.send(shop.tokenRequest(user, "{\"purpose\":\"order.create\",\"mode\":\"strict\"}")));
            refused.add(visitor.program().send(1, form, "1"));
            Answer page = visitor.send(1, form, "1");
            assertThat(page.status()).isEqualTo(503);
            assertThat(page.header("Content-Type")).startsWith("text/html");
            assertThat(page.header("Retry-After")).isNotEmpty();
            // A replay token costs no store anything, and so the page is there.
            assertThat(visitor.get("/sessions/1").status()).isEqualTo(200);
            assertThat(shop.token(user, "order.create", "replay")).isNotEmpty();
        } finally {
            redis.start();
        }
        assertThat(refused).allSatisfy(Unavailable::check);
        assertThat(shop.ordersOf(user)).isZero();
        Await.until(
                "Redis is used again",
                Duration.ofSeconds(60),
                () -> shop.send(shop.postWithToken(user, replay, TWO_SEATS)).status() == 201);
        assertThat(visitor.send(1, form, "1").status()).isEqualTo(303);
        // This Redis came back empty: a strict token that it does not know is not let through.
        assertThat(shop.send(shop.postWithToken(user, strict, TWO_SEATS)).status())
                .isEqualTo(409);
        assertThat(shop.ordersOf(user)).isEqualTo(1);
    }

    @Test
    void refusesFlashOrdersWhileRedisIsAwayAndPlacesThemAfterwards() {
        int stock = shop.stock(1);
        redis.stop();
        try (LogWatch log = new LogWatch()) {
            Unavailable.check(flash(), log);
        } finally {
            redis.start();
        }
        Await.until("Redis is used again", Duration.ofSeconds(60), () -> flash().status() == 201);
        assertThat(flash().status()).isEqualTo(409);
        line.freeze();
        try (LogWatch log = new LogWatch()) {
            Unavailable.check(flash(), log);
        } finally {
            line.unfreeze();
            line.reset();
        }
        Await.until("the window is known again", Duration.ofSeconds(60), () -> flash().status() == 409);
        assertThat(shop.ordersOf(user)).isEqualTo(1);
        assertThat(shop.stock(1)).isEqualTo(stock - 1);
    }

    private Answer flash() {
        return shop.send(FlashOrderIT.flash(shop, user, "", "{\"sessionId\":1}"));
    }

    @Test
    void ordersAreJudgedWhileTheLineToRedisIsFrozen() {
        Answer before = shop.order(user, "before", TWO_SEATS);
        int stock = shop.stock(1);
        Answer during;
        line.freeze();
        try (LogWatch log = new LogWatch()) {
            during = shop.order(user, "during", TWO_SEATS);
            assertThat(during.status()).as(during.body()).isEqualTo(201);
            assertThat(during.replayed()).isFalse();
            assertThat(log.errors()).isEmpty();
        } finally {
            line.unfreeze();
            line.reset();
        }
        comesBack();
        repeated("before", before);
        // A claim that has reached Redis after all holds its key there until its lease ends; the order is there
        // already.
        assertThat(shop.get(user, "/api/orders/" + during.orderNo()).body()).isEqualTo(during.body());
        assertThat(shop.ordersOf(user)).isEqualTo(3);
        assertThat(shop.stock(1)).isEqualTo(stock - 4);
    }

    @Test
    void redisMayForgetAtAnyTime() throws Exception {
        Answer first = shop.order(user, "k", TWO_SEATS);
        int stock = shop.stock(1);
        for (int times = 0; times < 5; times++) {
            shop.flushRedis();
            repeated("k", first);
        }
        assertThat(shop.ordersOf(user)).isEqualTo(1);
        assertThat(shop.stock(1)).isEqualTo(stock);
    }
}
