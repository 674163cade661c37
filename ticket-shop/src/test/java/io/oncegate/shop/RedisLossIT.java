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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Redis goes away, in good order or without a word, and comes back. */
@DisplayName("C88: store down, the door is closed")
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

    @Test
    void refusesWhileRedisIsStoppedAndIsRightAfterwards() {
        Answer before = shop.order(user, "before", TWO_SEATS);
        int stock = shop.stock(1);
        redis.stop();
        try (LogWatch log = new LogWatch()) {
            Unavailable.check(shop.order(user, "during", TWO_SEATS), log);
        }
        Answer repeated = shop.order(user, "before", TWO_SEATS);
        Answer reading = shop.get(user, "/api/orders");
        int during = shop.ordersOf(user);
        redis.start();

        assertThat(repeated.status()).isEqualTo(503);
        assertThat(reading.status()).isEqualTo(200);
        assertThat(during).isEqualTo(1);
        assertThat(shop.stock(1)).isEqualTo(stock);
        comesBack(before, stock);
        // Redis never saw the claim that was refused.
        assertThat(shop.order(user, "during", TWO_SEATS).status()).isEqualTo(201);
        assertThat(shop.ordersOf(user)).isEqualTo(3);
        assertThat(shop.stock(1)).isEqualTo(stock - 4);
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
                Duration.ofSeconds(15),
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
        Await.until("Redis is used again", Duration.ofSeconds(15), () -> flash().status() == 201);
        assertThat(flash().status()).isEqualTo(409);
        line.freeze();
        try (LogWatch log = new LogWatch()) {
            Unavailable.check(flash(), log);
        } finally {
            line.unfreeze();
            line.reset();
        }
        Await.until("the window is known again", Duration.ofSeconds(15), () -> flash().status() == 409);
        assertThat(shop.ordersOf(user)).isEqualTo(1);
        assertThat(shop.stock(1)).isEqualTo(stock - 1);
    }

    private Answer flash() {
        return shop.send(FlashOrderIT.flash(shop, user, "", "{\"sessionId\":1}"));
    }

    @Test
    void refusesWhileTheLineToRedisIsFrozenAndIsRightAfterwards() {
        Answer before = shop.order(user, "before", TWO_SEATS);
        int stock = shop.stock(1);
        line.freeze();
        try (LogWatch log = new LogWatch()) {
            Unavailable.check(shop.order(user, "during", TWO_SEATS), log);
        } finally {
            line.unfreeze();
        }
        assertThat(shop.stock(1)).isEqualTo(stock);
        line.reset();
        // The refused claim may have reached Redis after all, and then holds its key until its lease ends.
        comesBack(before, stock);
    }

    private void comesBack(Answer before, int stock) {
        Await.until(
                "Redis is used again",
                Duration.ofSeconds(15),
                () -> shop.order(user, "after", TWO_SEATS).status() == 201);
        Answer first = shop.order(user, "after", TWO_SEATS);
        Answer again = shop.order(user, "before", TWO_SEATS);

        assertThat(first.replayed()).isTrue();
        assertThat(again.status()).isEqualTo(201);
        assertThat(again.replayed()).isTrue();
        assertThat(again.body()).isEqualTo(before.body());
        assertThat(shop.ordersOf(user)).isEqualTo(2);
        assertThat(shop.stock(1)).isEqualTo(stock - 2);
    }
}
