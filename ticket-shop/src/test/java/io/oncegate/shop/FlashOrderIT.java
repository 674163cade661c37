package io.oncegate.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.testsupport.Await;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Orders without a key, where the window tells a double click from a second wish. */
class FlashOrderIT {
    private static final String ONE = "{\"sessionId\":1}";
    private static final String OTHER = "{\"sessionId\":2}";
    private static final int CLICKS = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Its windows outlast any test, and waiting for them does not. */
    private static Shop shop;

    private final String user = Shop.unique("hasty");

    @BeforeAll
    static void start() {
        shop = Shop.start(
                "spring.datasource.url=jdbc:h2:mem:" + Shop.unique("flash") + ";DB_CLOSE_DELAY=-1",
                "shop.flash.window=10m",
                "shop.flash.wait-up-to=1s");
    }

    @AfterAll
    static void stop() {
        shop.close();
    }

    static HttpRequest.Builder flash(Shop shop, String user, String query, String body) {
        return shop.request("/api/flash-orders" + query)
                .header("X-User", user)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body));
    }

    private Answer order(String name, String body) {
        return shop.send(flash(shop, name, "", body));
    }

    private static void placed(Answer answer) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(201);
        assertThat(answer.header("Location")).isEqualTo("/api/orders/" + answer.orderNo());
        assertThat(answer.replayed()).isFalse();
    }

    private static long refused(Answer answer) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(409);
        assertThat(answer.isProblem()).isTrue();
        assertThat(answer.replayed()).isFalse();
        assertThat(answer.json().path("code").asString("")).isEqualTo("ordered-just-now");
        assertThat(answer.json().path("type").asString("")).isEqualTo("urn:ticket-shop:problem:ordered-just-now");
        assertThat(answer.header("Retry-After")).matches("[1-9][0-9]*");
        return Long.parseLong(answer.header("Retry-After"));
    }

    @Test
    void aSecondOrderWithinTheWindowIsRefusedAndOthersAreNot() {
        int stock = shop.stock(1);
        Answer first = order(user, ONE);

        placed(first);
        assertThat(first.json().get("quantity").asInt()).isEqualTo(1);
        assertThat(refused(order(user, ONE))).isLessThanOrEqualTo(600);
        refused(order(user, "{\"quantity\":2,\"sessionId\":1}"));
        placed(order(user, OTHER));
        placed(order(Shop.unique("hasty"), ONE));
        placed(shop.order(user, "k", ONE.replace("}", ",\"quantity\":1}")));
        assertThat(shop.ordersOf(user)).isEqualTo(3);
        assertThat(shop.stock(1)).isEqualTo(stock - 3);
    }

    @Test
    void manyClicksAtOncePlaceOneOrder() {
        int stock = shop.stock(1);
        List<Answer> answers = all(IntStream.range(0, CLICKS)
                .mapToObj(click -> shop.sendAsync(flash(shop, user, "", ONE)))
                .toList());

        assertThat(answers).filteredOn(answer -> answer.status() == 201).hasSize(1);
        assertThat(answers)
                .filteredOn(answer -> answer.status() != 201)
                .hasSize(CLICKS - 1)
                .allSatisfy(FlashOrderIT::refused);
        assertThat(shop.ordersOf(user)).isEqualTo(1);
        assertThat(shop.stock(1)).isEqualTo(stock - 1);
    }

    @Test
    void waitingIsBounded() {
        placed(order(user, ONE));
        // More than may wait at a time.
        List<CompletableFuture<Answer>> waiting = IntStream.range(0, 60)
                .mapToObj(one -> shop.sendAsync(flash(shop, user, "?wait=true", ONE)))
                .toList();
        assertThat(all(waiting)).allSatisfy(FlashOrderIT::refused);
        assertThat(shop.ordersOf(user)).isEqualTo(1);
    }

    @Test
    void theWindowEndsAndWhoWaitsGetsItsTurn() {
        Shop usual = Shop.standard();
        String other = Shop.unique("hasty");
        placed(usual.send(flash(usual, user, "", ONE)));
        placed(usual.send(flash(usual, other, "", ONE)));
        CompletableFuture<Answer> turn = usual.sendAsync(flash(usual, user, "?wait=true", ONE));
        Await.until("a second click comes within the window", PATIENCE, () -> {
            String hasty = Shop.unique("hasty");
            placed(usual.send(flash(usual, hasty, "?wait=false", ONE)));
            Answer second = usual.send(flash(usual, hasty, "", ONE));
            return second.status() == 409 && refused(second) <= 5;
        });
        Await.until(
                "the window has passed",
                PATIENCE,
                () -> usual.send(flash(usual, other, "", ONE)).status() == 201);

        placed(turn.join());
        assertThat(usual.ordersOf(user)).isEqualTo(2);
        assertThat(usual.ordersOf(other)).isEqualTo(2);
    }

    @Test
    void whatFailsClosesTheWindow() {
        for (int times = 0; times < 2; times++) {
            Answer soldOut = order(user, "{\"sessionId\":1,\"quantity\":2000000}");
            assertThat(soldOut.status()).isEqualTo(409);
            assertThat(soldOut.json().path("code").asString("")).isEqualTo("sold-out");
            assertThat(order(user, "{\"sessionId\":99}").status()).isEqualTo(404);
            assertThat(order(user, "{\"sessionId\":1,\"quantity\":0}").status()).isEqualTo(400);
        }
        // The database does not let it through in time.
        shop.holding(1, () -> assertThat(order(user, ONE).status()).isEqualTo(503));

        placed(order(user, ONE));
        refused(order(user, ONE));
    }

    @Test
    void aKeyMakesCopiesOneRequestAndIsNoWayAroundTheWindow() throws Exception {
        Answer first = keyed("a");
        placed(first);
        Answer copy = keyed("a");
        assertThat(copy.status()).isEqualTo(201);
        assertThat(copy.replayed()).isTrue();
        assertThat(copy.body()).isEqualTo(first.body());
        refused(keyed("b"));
        refused(keyed("b"));
        refused(order(user, ONE));

        // With all of Redis lost the database still knows the first request.
        shop.flushRedis();
        assertThat(keyed("a").orderNo()).isEqualTo(first.orderNo());
        shop.flushRedis();
        placed(keyed("b"));
        assertThat(shop.ordersOf(user)).isEqualTo(2);
        assertThat(keyed("").status()).isEqualTo(400);
    }

    private Answer keyed(String key) {
        return shop.send(flash(shop, user, "", ONE).header("Idempotency-Key", key));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{}",
                "{\"sessionId\":null}",
                "{\"sessionId\":\"1\"}",
                "{\"sessionId\":1.5}",
                "{\"sessionId\":18446744073709551616}",
                "{\"sessionId\":1,\"sessionId\":2}",
                "{\"sessionId\":1,\"quantity\":-1}",
                "{\"sessionId\":1,\"quantity\":\"two\"}",
                "{\"sessionId\":1}x",
                "{\"sessionId\":"
            })
    void refusesABodyThatIsNoOrder(String body) {
        bad(order(user, body), 400);
        placed(order(user, "{\"sessionId\":1,\"unknown\":true}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"banana", "", "TRUE", "1", "true&wait=true", "true&wait=false"})
    void refusesToGuessWhetherToWait(String wait) {
        bad(shop.send(flash(shop, user, "?wait=" + wait, ONE)), 400);
        placed(order(user, ONE));
    }

    @Test
    void refusesWhatTheOtherAddressesRefuse() throws Exception {
        bad(order("a b", ONE), 401);
        bad(
                shop.send(shop.request("/api/flash-orders")
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(ONE))),
                401);
        bad(order(user, ONE + " ".repeat(64 * 1024)), 413);
        bad(shop.send(flash(shop, user, "", ONE).setHeader("Content-Type", "text/plain")), 415);
        bad(shop.send(flash(shop, user, "", ONE).header("Accept", "text/html")), 406);
        bad(shop.get(user, "/api/flash-orders"), 405);
        bad(shop.get(user, "/api/flash-orders/1"), 404);
        assertThat(shop.raw("POST /api/flash-orders?%zz HTTP/1.1\r\nHost: shop\r\nConnection: close\r\nX-User: " + user
                        + "\r\nContent-Type: application/json\r\nContent-Length: " + ONE.length() + "\r\n\r\n" + ONE))
                .startsWith("HTTP/1.1 400 ");
        assertThat(shop.ordersOf(user)).isZero();
    }

    private static void bad(Answer answer, int status) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.isProblem()).isTrue();
    }

    @Test
    void thePageTellsPeopleThatItWasADoubleClick() {
        Visitor visitor = Visitor.browser(shop);
        visitor.get("/sessions/1");
        Answer first = shop.send(click(visitor, "1", ""));
        assertThat(first.status()).isEqualTo(303);
        assertThat(visitor.get(first.header("Location")).body()).contains("Your order is placed");

        for (String fields : List.of("", "wait=true")) {
            Answer second = shop.send(click(visitor, "1", fields));
            assertThat(second.status()).isEqualTo(409);
            assertThat(second.header("Content-Type")).isEqualTo("text/html;charset=UTF-8");
            assertThat(second.header("Retry-After")).isNotEmpty();
            assertThat(second.body()).contains("That was a double click", "href=\"/sessions/1\"");
        }
        refused(shop.send(click(visitor.program(), "1", "")));
        assertThat(shop.send(click(visitor, "99", "")).status()).isEqualTo(404);
        assertThat(shop.send(click(visitor, "x", "")).status()).isEqualTo(404);
        assertThat(shop.send(click(visitor, "2", "wait=banana")).status()).isEqualTo(400);
        assertThat(shop.send(click(visitor, "2", "x=" + "x".repeat(64 * 1024))).status())
                .isEqualTo(413);
        Answer nobody = shop.send(click(Visitor.browser(shop), "1", ""));
        assertThat(nobody.status()).isEqualTo(401);
        assertThat(nobody.body()).contains("The shop does not know you");
        assertThat(shop.send(click(visitor, "2", "")).status()).isEqualTo(303);
    }

    private static HttpRequest.Builder click(Visitor visitor, String session, String fields) {
        return visitor.request("/sessions/" + session + "/flash-orders")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(fields));
    }

    private static List<Answer> all(List<CompletableFuture<Answer>> sent) {
        return sent.stream().map(CompletableFuture::join).toList();
    }
}
