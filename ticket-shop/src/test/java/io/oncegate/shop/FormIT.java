package io.oncegate.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page and its form over HTTP: what is refused is a page for browsers and a problem for programs, and orders nothing. */
class FormIT {
    private static final String NOTICE = "A duplicate was stopped.";

    private final Shop shop = Shop.standard();
    private final Visitor visitor = Visitor.browser(shop);
    private int orders;

    @BeforeEach
    void count() {
        orders = shop.orders();
    }

    private void orderedSince(int number) {
        assertThat(shop.orders()).isEqualTo(orders + number);
    }

    private static void isPage(Answer answer, int status) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.header("Content-Type")).isEqualTo("text/html;charset=UTF-8");
        assertThat(answer.header("Cache-Control")).isEqualTo("private");
        assertThat(answer.body()).startsWith("<!DOCTYPE html>").contains("<h1>", "</html>");
    }

    private static void isProblem(Answer answer, int status, String code) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.isProblem()).isTrue();
        assertThat(answer.json().path("code").asString("")).isEqualTo(code);
    }

    private void goodFormStillWorks(String token) {
        orderedSince(0);
        assertThat(visitor.send(1, token, "1").status()).isEqualTo(303);
        orderedSince(1);
    }

    @Test
    void refusesSessionsThatAreNotThere() {
        String token = visitor.form(1);
        for (String session : List.of("99", "0", "x", "9".repeat(30), "%3Cb%3E")) {
            isPage(visitor.get("/sessions/" + session), 404);
            isProblem(visitor.program().get("/sessions/" + session), 404, "session-unknown");
            isPage(shop.send(visitor.sending(session, token, "1")), 404);
            isProblem(shop.send(visitor.program().sending(session, token, "1")), 404, "session-unknown");
        }
        goodFormStillWorks(token);
    }

    static Stream<String> badQuantities() {
        return Stream.of("", " ", "0", "-1", "1.5", "two", "1e3", "99999999999", "1;DROP", "\u0661");
    }

    @ParameterizedTest
    @org.junit.jupiter.params.provider.MethodSource("badQuantities")
    void refusesABadQuantityAndLeavesTheFormGood(String quantity) {
        String token = visitor.form(1);
        isPage(visitor.send(1, token, quantity), 400);
        isProblem(visitor.program().send(1, token, quantity), 400, "order-invalid");
        goodFormStillWorks(token);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&quantity=1&quantity=2", "&Quantity=1"})
    void refusesAFormWithoutOneQuantity(String quantity) {
        String token = visitor.form(1);
        isPage(shop.send(visitor.sendingFields("1", "_once_token=" + token + quantity)), 400);
        goodFormStillWorks(token);
    }

    @Test
    void refusesFormsWithoutAGoodToken() {
        String token = visitor.form(1);
        Visitor stranger = Visitor.browser(shop);
        String foreign = stranger.form(1);
        String forged = (token.charAt(20) == 'A' ? "B" : "A") + token.substring(21);

        isPage(shop.send(visitor.sendingFields("1", "quantity=1")), 400);
        isProblem(shop.send(visitor.program().sendingFields("1", "quantity=1")), 400, "key-missing");
        isPage(visitor.send(1, foreign, "1"), 403);
        isProblem(visitor.program().send(1, foreign, "1"), 403, "token-refused");
        isPage(visitor.send(1, token.substring(0, 20) + forged, "1"), 403);
        isPage(visitor.send(1, "x".repeat(10_000), "1"), 400);
        isPage(visitor.send(1, "", "1"), 400);
        String twice = "_once_token=" + token + "&_once_token=" + token + "&quantity=1";
        isPage(shop.send(visitor.sendingFields("1", twice)), 400);
        String ofTheApi = shop.token("alice", "order.create", "replay");
        isPage(shop.send(visitor.sending("1", ofTheApi, "1").header("X-User", "alice")), 403);
        // An own key is no token: the form takes none.
        isPage(shop.send(visitor.sendingFields("1", "quantity=1").header("Idempotency-Key", "k")), 400);

        goodFormStillWorks(token);
    }

    @Test
    void refusesAFormFromNobody() {
        String token = visitor.form(1);
        Visitor nobody = Visitor.browser(shop);
        isPage(nobody.send(1, token, "1"), 401);
        isProblem(nobody.program().send(1, token, "1"), 401, "caller-unknown");
        isPage(shop.send(visitor.request("/sessions/1").header("X-User", "a b").GET()), 401);
        HttpCookies.check(shop, token);
        goodFormStillWorks(token);
    }

    /** Cookies that the shop has not made name nobody. */
    private static final class HttpCookies {
        static void check(Shop shop, String token) {
            for (String value : List.of("", "x", "alice", "~" + "a".repeat(31), "a".repeat(33))) {
                Answer answer = shop.send(
                        Visitor.browser(shop).sending("1", token, "1").header("Cookie", "shop_visitor=" + value));
                isPage(answer, 401);
            }
        }
    }

    @Test
    void refusesOtherKindsOfBodiesAndMethods() {
        String token = visitor.form(1);
        isPage(
                shop.send(visitor.sending("1", token, "1")
                        .setHeader("Content-Type", "application/json")
                        .header("Once-Token", token)),
                415);
        isPage(visitor.get("/sessions/1/orders"), 405);
        goodFormStillWorks(token);
    }

    @Test
    void sendingAFormAgainShowsTheFirstOrder() throws Exception {
        String token = visitor.form(1);
        int stock = shop.stock(1);

        Answer first = visitor.send(1, token, "2");

        assertThat(first.status()).isEqualTo(303);
        assertThat(first.replayed()).isFalse();
        String order = first.header("Location");
        assertThat(order).startsWith("/orders/");
        for (int times = 0; times < 3; times++) {
            Answer again = visitor.send(1, token, "2");
            assertThat(again.status()).isEqualTo(303);
            assertThat(again.header("Location")).isEqualTo(order);
            assertThat(again.replayed()).isTrue();
            shop.flushRedis();
        }
        isPage(visitor.send(1, token, "3"), 422);
        isPage(visitor.send(2, token, "2"), 422);
        orderedSince(1);
        assertThat(shop.stock(1)).isEqualTo(stock - 2);
    }

    @Test
    void showsAnOrderToItsOwnerAlone() {
        String order = visitor.send(1, visitor.form(1), "2").header("Location");
        Answer page = visitor.get(order);
        isPage(page, 200);
        assertThat(page.body()).contains(order.replace("/orders/", ""), "Midsummer Night", "1360.00");
        assertThat(visitor.get("/orders").body()).contains(order);

        Visitor stranger = Visitor.browser(shop);
        isPage(stranger.get(order), 404);
        stranger.form(1);
        isPage(stranger.get(order), 404);
        isProblem(stranger.program().get(order), 404, "order-unknown");
        assertThat(stranger.get("/orders").body()).doesNotContain(order);
        isPage(shop.send(visitor.request(order).header("X-User", "alice").GET()), 404);
    }

    @Test
    void theButtonsOfAnOrderWorkForItsOwnerAlone() {
        String order = visitor.send(1, visitor.form(1), "1").header("Location");
        String orderNo = order.replace("/orders/", "");
        assertThat(visitor.get(order).body())
                .contains(order + "/pay", order + "/cancel")
                .doesNotContain(order + "/ship", order + "/complete", "<script");

        Visitor stranger = Visitor.browser(shop);
        isPage(click(stranger, order, "cancel"), 401);
        stranger.form(1);
        isPage(click(stranger, order, "cancel"), 404);
        isProblem(click(stranger.program(), order, "pay"), 404, "order-unknown");
        isPage(click(visitor, order, "ship"), 409);
        isProblem(click(visitor.program(), order, "ship"), 409, "step-illegal");
        isPage(click(visitor, "/orders/20200101-000000000000", "pay"), 404);
        isPage(click(visitor, order, "steal"), 404);
        isPage(visitor.get(order + "/pay"), 405);
        assertThat(shop.charges(orderNo)).isZero();

        assertThat(click(visitor, order, "pay").header("Location")).isEqualTo(order);
        assertThat(visitor.get(order).body())
                .contains("Your order is paid", order + "/ship")
                .doesNotContain(order + "/pay", order + "/cancel", NOTICE);
        isToldOnce(click(visitor, order, "pay"), order);
        assertThat(shop.charges(orderNo)).isEqualTo(1);
    }

    /** The answer is that of the first time; beside it there is the word that a duplicate was stopped. */
    private void isToldOnce(Answer again, String order) {
        assertThat(again.status()).isEqualTo(303);
        assertThat(again.header("Location")).isEqualTo(order);
        assertThat(again.replayed()).isTrue();
        String word = again.header("Set-Cookie");
        assertThat(word).matches("shop_repeated=.*; Path=/orders; Max-Age=60; .*HttpOnly; SameSite=Lax");
        HttpRequest.Builder told =
                visitor.request(order).setHeader("Cookie", visitor.cookie() + "; " + word.replaceFirst(";.*", ""));
        Answer page = shop.send(told.GET());
        assertThat(page.body()).contains(NOTICE);
        assertThat(page.header("Set-Cookie")).startsWith("shop_repeated=; Path=/orders; Max-Age=0; ");
        assertThat(visitor.get(order).body()).doesNotContain(NOTICE);
    }

    @Test
    void aFormThatComesAgainIsToldOnTheOrdersPageAndCounted() {
        String token = visitor.form(1);
        Answer first = visitor.send(1, token, "1");
        String order = first.header("Location");
        assertThat(first.header("Set-Cookie")).isEmpty();
        assertThat(visitor.get(order).body()).doesNotContain(NOTICE);
        int stopped = stopped();

        isToldOnce(visitor.send(1, token, "1"), order);

        assertThat(stopped()).isEqualTo(stopped + 1);
        String other = visitor.send(1, visitor.form(1), "1").header("Location");
        HttpRequest.Builder mistaken = visitor.request(other)
                .setHeader("Cookie", visitor.cookie() + "; shop_repeated=" + order.replace("/orders/", ""));
        assertThat(shop.send(mistaken.GET()).body()).doesNotContain(NOTICE);
    }

    private int stopped() {
        Matcher stopped = Pattern.compile("<strong>(\\d+)</strong> given the first answer")
                .matcher(visitor.get("/").body());
        assertThat(stopped.find()).isTrue();
        return Integer.parseInt(stopped.group(1));
    }

    private Answer click(Visitor who, String order, String event) {
        return shop.send(who.request(order + "/" + event)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.noBody()));
    }

    @Test
    void soldOutIsToldAgainWithTheSameForm() {
        String token = visitor.form(4);
        Answer first = visitor.send(4, token, "401000");
        isPage(first, 409);
        Answer again = visitor.send(4, token, "401000");
        isPage(again, 409);
        assertThat(again.replayed()).isTrue();
        assertThat(again.body()).isEqualTo(first.body()).contains("Not enough seats left");
        isProblem(visitor.program().send(4, token, "401000"), 409, "sold-out");
        orderedSince(0);
    }

    @Test
    void lookingAtAPageOrdersNothingAndNamesTheVisitorOnce() {
        Answer first = visitor.get("/sessions/1");
        Answer second = visitor.get("/sessions/1");

        isPage(first, 200);
        assertThat(first.header("Set-Cookie"))
                .matches("shop_visitor=[A-Za-z0-9_-]{32}; Path=/;.*HttpOnly; SameSite=Lax");
        assertThat(second.header("Set-Cookie")).isEmpty();
        assertThat(Visitor.tokenIn(second)).isNotEqualTo(Visitor.tokenIn(first));
        assertThat(first.body()).doesNotContain("<script");
        orderedSince(0);
        assertThat(shop.send(shop.request("/").GET()).body()).contains("href=\"/sessions/1\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/nothing", "/sessions", "/sessions/1/x", "/orders/1/x", "/sessions/1/orders/", "/orders/%00"})
    void knowsNoSuchPage(String path) {
        Answer answer = visitor.get(path);
        assertThat(answer.status()).as(answer.body()).isBetween(400, 404);
        assertThat(answer.body()).doesNotContain("Tomcat");
        assertThat(shop.send(shop.request("/api/nothing")
                                .header("Accept", "text/html")
                                .GET())
                        .isProblem())
                .isTrue();
    }

    @Test
    void anAddressMayBeWrittenInAnotherWay() {
        String token = Visitor.tokenIn(visitor.get("/%73essions/%31"));
        Answer first = shop.send(visitor.sending("%31", token, "1"));
        Answer again = shop.send(visitor.sending("1", token, "1"));
        assertThat(first.status()).isEqualTo(303);
        assertThat(again.header("Location")).isEqualTo(first.header("Location"));
        orderedSince(1);
    }

    @Test
    void aFormMayComeInParts() {
        String token = visitor.form(1);
        for (String boundary : List.of("one", "two")) {
            String body = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"_once_token\"\r\n\r\n" + token
                    + "\r\n--" + boundary + "\r\nContent-Disposition: form-data; name=\"quantity\"\r\n\r\n2\r\n--"
                    + boundary + "--\r\n";
            HttpRequest.Builder parts = visitor.sendingFields("1", body)
                    .setHeader("Content-Type", "multipart/form-data; boundary=" + boundary);
            assertThat(shop.send(parts).status()).isEqualTo(303);
        }
        orderedSince(1);
    }

    @Test
    void aUserMayUseTheFormToo() {
        String user = Shop.unique("reader");
        Answer page = shop.get(user, "/sessions/1");
        assertThat(page.header("Set-Cookie")).isEmpty();
        Answer answer =
                shop.send(visitor.sending("1", Visitor.tokenIn(page), "1").header("X-User", user));
        assertThat(answer.status()).isEqualTo(303);
        assertThat(shop.ordersOf(user)).isEqualTo(1);
        assertThat(shop.get(user, "/api" + answer.header("Location")).status()).isEqualTo(200);
    }

    @Test
    void showsNamesAsTextAndSoldOutWithoutAForm() {
        shop.update("INSERT INTO concert_session (id, name, price, stock) VALUES (77, '<script>\"&', 1.00, 0)");
        try {
            Answer page = visitor.get("/sessions/77");
            isPage(page, 200);
            assertThat(page.body())
                    .contains("&lt;script&gt;&quot;&amp;", "Sold out")
                    .doesNotContain("<script", "<form");
        } finally {
            shop.update("DELETE FROM concert_session WHERE id = 77");
        }
    }
}
