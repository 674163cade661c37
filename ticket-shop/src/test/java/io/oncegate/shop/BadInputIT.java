package io.oncegate.shop;

import static io.oncegate.shop.Shop.TWO_SEATS;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that cannot be served: a 4xx that says what to do, nothing written, nothing logged. */
class BadInputIT {
    private final Shop shop = Shop.standard();
    private final String user = Shop.unique("clumsy");
    private LogWatch log;
    private int orders;
    private int records;
    private List<Integer> stocks;

    @BeforeEach
    void look() {
        log = new LogWatch();
        orders = shop.orders();
        records = records();
        stocks = stocks();
    }

    @AfterEach
    void nothingWasLogged() {
        log.close();
        assertThat(log.errors()).isEmpty();
        assertThat(log.warnings()).isEmpty();
    }

    private int records() {
        return shop.number("SELECT count(*) FROM oncegate_record");
    }

    private List<Integer> stocks() {
        return List.of(shop.stock(1), shop.stock(2), shop.stock(3), shop.stock(4));
    }

    private void refused(Answer answer, int status) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.isProblem())
                .as("%s %s", answer.response(), answer.body())
                .isTrue();
        assertThat(answer.json().path("detail").asString("")).hasSizeGreaterThan(10);
        assertThat(answer.replayed()).isFalse();
        nothingWasWritten();
    }

    private void nothingWasWritten() {
        assertThat(shop.orders()).isEqualTo(orders);
        assertThat(records()).isEqualTo(records);
        assertThat(stocks()).isEqualTo(stocks);
    }

    static Stream<Arguments> badBodies() {
        String deep = "[".repeat(30_000) + "]".repeat(30_000);
        return Stream.of(
                Arguments.of("0", "{\"sessionId\":1,\"quantity\":0}"),
                Arguments.of("-1", "{\"sessionId\":1,\"quantity\":-1}"),
                Arguments.of("2^31", "{\"sessionId\":1,\"quantity\":2147483648}"),
                Arguments.of("2^63", "{\"sessionId\":1,\"quantity\":9223372036854775808}"),
                Arguments.of("huge", "{\"sessionId\":1,\"quantity\":1e400000}"),
                Arguments.of("1.5", "{\"sessionId\":1,\"quantity\":1.5}"),
                Arguments.of("text", "{\"sessionId\":1,\"quantity\":\"2\"}"),
                Arguments.of("true", "{\"sessionId\":1,\"quantity\":true}"),
                Arguments.of("null", "{\"sessionId\":1,\"quantity\":null}"),
                Arguments.of("array", "{\"sessionId\":1,\"quantity\":[2]}"),
                Arguments.of("object", "{\"sessionId\":1,\"quantity\":{}}"),
                Arguments.of("missing", "{\"sessionId\":1}"),
                Arguments.of("no session", "{\"quantity\":2}"),
                Arguments.of("session null", "{\"sessionId\":null,\"quantity\":2}"),
                Arguments.of("session text", "{\"sessionId\":\"1\",\"quantity\":2}"),
                Arguments.of("session 1.0", "{\"sessionId\":1.5,\"quantity\":2}"),
                Arguments.of("session 2^64", "{\"sessionId\":18446744073709551616,\"quantity\":2}"),
                Arguments.of("twice", "{\"sessionId\":1,\"quantity\":2,\"quantity\":3}"),
                Arguments.of("twice escaped", "{\"sessionId\":1,\"quantity\":2,\"quantit\\u0079\":3}"),
                Arguments.of("empty", ""),
                Arguments.of("blank", "  \n"),
                Arguments.of("JSON null", "null"),
                Arguments.of("JSON array", "[]"),
                Arguments.of("array of one", "[" + TWO_SEATS + "]"),
                Arguments.of("JSON text", "\"order\""),
                Arguments.of("number", "12"),
                Arguments.of("empty object", "{}"),
                Arguments.of("cut short", "{\"sessionId\":1,\"quantity\":"),
                Arguments.of("more behind", TWO_SEATS + "x"),
                Arguments.of("two documents", TWO_SEATS + TWO_SEATS),
                Arguments.of("comment", "{\"sessionId\":1,/* two */\"quantity\":2}"),
                Arguments.of("single quotes", "{'sessionId':1,'quantity':2}"),
                Arguments.of("not a number", "{\"sessionId\":1,\"quantity\":NaN}"),
                Arguments.of("control character", "{\"sessionId\":1,\"quantity\":2,\"x\":\"\u0001\"}"),
                Arguments.of("XML", "<order/>"),
                Arguments.of("form", "sessionId=1&quantity=2"),
                Arguments.of("deep", deep));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badBodies")
    void refusesABodyThatIsNoOrderAndLeavesTheKeyFree(String name, String body) {
        refused(shop.order(user, "k", body), 400);

        Answer corrected = shop.order(user, "k", TWO_SEATS);
        assertThat(corrected.status()).isEqualTo(201);
        assertThat(corrected.replayed()).isFalse();
        assertThat(shop.ordersOf(user)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "99", "9223372036854775807"})
    void refusesASessionThatIsNotThereAndLeavesTheKeyFree(String session) {
        refused(shop.order(user, "k", "{\"sessionId\":" + session + ",\"quantity\":1}"), 404);

        assertThat(shop.order(user, "k", TWO_SEATS).status()).isEqualTo(201);
    }

    @Test
    void refusesMoreSeatsThanThereAre() {
        Answer answer = shop.order(user, "k", "{\"sessionId\":1,\"quantity\":2147483647}");

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.isProblem()).isTrue();
        assertThat(shop.orders()).isEqualTo(orders);
        assertThat(stocks()).isEqualTo(stocks);
    }

    static Stream<String> badKeys() {
        return Stream.of(
                "",
                " ",
                "\"\"",
                "\"  \"",
                "\"open",
                "two words",
                "a,b",
                "\"a\",\"b\"",
                "k".repeat(256),
                "\"" + "k".repeat(256) + "\"",
                "k".repeat(3_000),
                "\u00e9");
    }

    @ParameterizedTest
    @MethodSource("badKeys")
    @DisplayName("C33: a blank, malformed or over-long key is a 400 before any store is asked")
    void refusesAKeyThatCannotBeUsed(String key) throws Exception {
        String head = "POST /api/orders HTTP/1.1\r\nHost: shop\r\nConnection: close\r\nX-User: " + user
                + "\r\nContent-Type: application/json\r\nContent-Length: " + TWO_SEATS.length()
                + "\r\nIdempotency-Key:" + key + "\r\n\r\n";

        String answer = shop.raw(head + TWO_SEATS);

        assertThat(answer).startsWith("HTTP/1.1 400 ").contains("Content-Type: application/problem+json");
        nothingWasWritten();
    }

    @Test
    void acceptsTheLongestKey() {
        assertThat(shop.order(user, "k".repeat(255), TWO_SEATS).status()).isEqualTo(201);
        assertThat(shop.order(user, "k".repeat(255), TWO_SEATS).replayed()).isTrue();
    }

    @Test
    void refusesAKeyThatIsSentTwice() {
        refused(shop.send(shop.post(user, "a", TWO_SEATS).header("Idempotency-Key", "b")), 400);
        refused(shop.send(shop.post(user, "a", TWO_SEATS).header("Idempotency-Key", "a")), 400);
    }

    @Test
    void refusesAnOrderWithoutAKey() {
        HttpRequest.Builder request = shop.request("/api/orders")
                .header("X-User", user)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(TWO_SEATS));

        refused(shop.send(request), 400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "two words", "a/b", "<b>", "\u00e4", "a,b", "-", "a'--", "null"})
    void refusesACallerWithoutAProperName(String name) throws Exception {
        for (String line : List.of("GET /api/orders", "GET /api/orders/1", "POST /api/orders")) {
            String answer = shop.raw(line + " HTTP/1.1\r\nHost: shop\r\nConnection: close\r\nIdempotency-Key: k\r\n"
                    + "Content-Type: application/json\r\nContent-Length: " + TWO_SEATS.length() + "\r\nX-User: " + name
                    + "\r\n\r\n" + TWO_SEATS);

            assertThat(answer).startsWith("HTTP/1.1 401 ").contains("Content-Type: application/problem+json");
        }
        nothingWasWritten();
    }

    @Test
    void refusesACallerWithoutAName() {
        refused(shop.send(shop.request("/api/orders").GET()), 401);
        refused(shop.send(shop.request("/api/orders/1").GET()), 401);
        refused(shop.get("u".repeat(65), "/api/orders"), 401);
        refused(shop.send(shop.post(user, "k", TWO_SEATS).header("X-User", "other")), 401);
        HttpRequest.Builder nobody = shop.request("/api/orders")
                .header("Idempotency-Key", "k")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(TWO_SEATS));
        refused(shop.send(nobody), 401);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/nothing",
                "/api",
                "/api/nothing",
                "/api/orders/nothing",
                "/api/orders/1/steal",
                "/api/orders/1%27%20OR%201=1",
                "/index.html",
                "/error",
                "/actuator/health"
            })
    void knowsNoSuchThing(String path) {
        refused(shop.get(user, path), 404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/orders/..",
                "/api/orders/%2e%2E",
                "/api/orders/..;x/pay",
                "/api/orders/./pay",
                "/sessions/../orders",
                "/nothing/%2e/api/orders"
            })
    void refusesAnAddressThatFiltersAndControllersWouldReadInTwoWays(String path) {
        for (String method : List.of("GET", "POST")) {
            Answer answer =
                    shop.send(shop.request(path).header("X-User", user).method(method, BodyPublishers.noBody()));
            refused(answer, 400);
            assertThat(answer.json().path("code").asString("")).isEqualTo("address-malformed");
        }
    }

    @Test
    void knowsNoOrderOfAnEndlessNumber() {
        refused(shop.get(user, "/api/orders/" + "9".repeat(5_000)), 404);
    }

    @Test
    void refusesOtherMethods() {
        for (String method : List.of("PUT", "DELETE", "PATCH")) {
            HttpRequest.Builder request =
                    shop.post(user, "k", TWO_SEATS).method(method, BodyPublishers.ofString(TWO_SEATS));
            Answer answer = shop.send(request);
            refused(answer, 405);
            assertThat(answer.header("Allow")).contains("POST");
        }
        refused(
                shop.send(shop.request("/api/sessions").header("X-User", user).POST(BodyPublishers.ofString("{}"))),
                405);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/xml", "application/x-www-form-urlencoded", "*/*", "nonsense"})
    void refusesOtherKindsOfBodies(String type) {
        refused(shop.send(shop.post(user, "k", TWO_SEATS).setHeader("Content-Type", type)), 415);

        assertThat(shop.order(user, "k", TWO_SEATS).status()).isEqualTo(201);
    }

    @Test
    void refusesABodyOfNoKind() {
        HttpRequest.Builder request = shop.request("/api/orders")
                .header("X-User", user)
                .header("Idempotency-Key", "k")
                .POST(BodyPublishers.ofString(TWO_SEATS));

        refused(shop.send(request), 415);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/html", "application/xml", "image/png"})
    void refusesToAnswerInAnotherForm(String accept) {
        refused(shop.send(shop.post(user, "k", TWO_SEATS).header("Accept", accept)), 406);
        refused(
                shop.send(shop.request("/api/orders")
                        .header("X-User", user)
                        .header("Accept", accept)
                        .GET()),
                406);

        assertThat(shop.order(user, "k", TWO_SEATS).status()).isEqualTo(201);
    }

    @Test
    void refusesABodyThatIsTooLarge() {
        String fits = TWO_SEATS + " ".repeat(64 * 1024 - TWO_SEATS.length());
        for (int size : new int[] {64 * 1024 + 1, 1024 * 1024, 8 * 1024 * 1024}) {
            String body = TWO_SEATS + " ".repeat(size - TWO_SEATS.length());
            refused(shop.order(user, "k", body), 413);
            refused(shop.send(shop.post(user, "k", "").POST(chunked(body))), 413);
        }
        assertThat(shop.order(user, "k", fits).status()).isEqualTo(201);
    }

    private static HttpRequest.BodyPublisher chunked(String body) {
        byte[] bytes = body.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        return BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(bytes));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /api/orders/%zz HTTP/1.1\r\nHost: shop",
                "GET /api/orders/%00 HTTP/1.1\r\nHost: shop",
                "GET /api/../../etc/passwd HTTP/1.1\r\nHost: shop",
                "GET /api/or|ders HTTP/1.1\r\nHost: shop",
                "GET /api/orders HTTP/1.1",
                "GET / HTTP/9.9\r\nHost: shop",
                "NONSENSE",
                "POST /api/orders HTTP/1.1\r\nHost: shop\r\nContent-Length: -5",
                "POST /api/orders HTTP/1.1\r\nHost: shop\r\nContent-Length: two"
            })
    void answersWhatIsHardlyHttpWithAProblemToo(String head) throws Exception {
        String answer = shop.raw(head + "\r\nX-User: " + user + "\r\nConnection: close\r\n\r\n");

        assertThat(answer).matches("(?s)HTTP/1.1 (4..|505) .*");
        assertThat(answer).doesNotContain("text/html").doesNotContain("Tomcat");
        if (!answer.contains("Content-Length: 0")) {
            assertThat(answer).contains("Content-Type: application/problem+json");
        }
        nothingWasWritten();
    }
}
