package io.oncegate.shop;

import static io.oncegate.shop.Shop.TWO_SEATS;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One-time tokens at the API: second uses, bad tokens, and failures. */
class TokenIT {
    private static final String PURPOSE = "order.create";

    private final Shop shop = Shop.standard();
    private final String user = Shop.unique("holder");

    private static void refused(Answer answer, int status, String code) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.isProblem()).isTrue();
        assertThat(answer.json().path("code").asString("")).isEqualTo(code);
    }

    private Answer use(String token) {
        return shop.send(shop.postWithToken(user, token, TWO_SEATS));
    }

    private void oneOrderBy(String token) {
        Answer answer = use(token);
        assertThat(answer.status()).as(answer.body()).isEqualTo(201);
        assertThat(answer.replayed()).isFalse();
        assertThat(shop.ordersOf(user)).isEqualTo(1);
    }

    @Test
    void aUsedReplayTokenGetsTheFirstAnswer() throws Exception {
        String token = shop.token(user, PURPOSE, "replay");
        Answer first = use(token);
        for (int times = 0; times < 3; times++) {
            Answer again = use(token);
            assertThat(again.status()).isEqualTo(201);
            assertThat(again.replayed()).isTrue();
            assertThat(again.body()).isEqualTo(first.body());
            assertThat(again.header("Location")).isEqualTo(first.header("Location"));
            shop.flushRedis(); // then the database judges, by the token's own id
        }
        refused(
                shop.send(shop.postWithToken(user, token, "{\"sessionId\":1,\"quantity\":3}")),
                422,
                "payload-mismatch");
        assertThat(shop.ordersOf(user)).isEqualTo(1);
    }

    @Test
    void aUsedStrictTokenIsRefused() throws Exception {
        String token = shop.token(user, PURPOSE, "strict");
        assertThat(use(token).status()).isEqualTo(201);

        refused(use(token), 409, "token-used");
        shop.flushRedis();
        refused(use(token), 409, "token-used");

        assertThat(shop.ordersOf(user)).isEqualTo(1);
    }

    @Test
    void theDatabaseKnowsAStrictTokensOrderToo() {
        Answer first = use(shop.token(user, PURPOSE, "strict"));
        String id = shop.text("SELECT request_id FROM orders WHERE user_id = '" + user + "'");

        Answer again = shop.order(user, id, TWO_SEATS);

        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.replayed()).isTrue();
        assertThat(shop.ordersOf(user)).isEqualTo(1);
    }

    private List<Answer> together(int copies, String token) {
        List<CompletableFuture<Answer>> sent = IntStream.range(0, copies)
                .mapToObj(copy -> shop.sendAsync(shop.postWithToken(user, token, TWO_SEATS)))
                .toList();
        return sent.stream().map(CompletableFuture::join).toList();
    }

    @Test
    @DisplayName("C01: of many uses of one strict token at once one passes")
    void ofManyUsesAtOnceOnePasses() {
        for (int round = 1; round <= 3; round++) {
            List<Answer> answers = together(64, shop.token(user, PURPOSE, "strict"));

            assertThat(answers).extracting(Answer::status).containsOnly(201, 409);
            assertThat(answers).filteredOn(answer -> answer.status() == 201).hasSize(1);
            assertThat(answers)
                    .filteredOn(answer -> answer.status() == 409)
                    .allSatisfy(answer -> refused(answer, 409, "token-used"));
            assertThat(shop.ordersOf(user)).isEqualTo(round);
        }
    }

    @Test
    void manyCopiesWithOneReplayTokenAllGetTheSameAnswer() {
        List<Answer> answers = together(200, shop.token(user, PURPOSE, "replay"));

        assertThat(answers).extracting(Answer::status).containsOnly(201);
        assertThat(answers).extracting(Answer::body).containsOnly(answers.get(0).body());
        assertThat(answers).filteredOn(answer -> !answer.replayed()).hasSize(1);
        assertThat(shop.ordersOf(user)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"replay", "strict"})
    @DisplayName("C02: forged and other people's tokens are refused, and the good one still works")
    void refusesTokensThatAreNotTheCallersForThis(String mode) {
        String token = shop.token(user, PURPOSE, mode);
        String stranger = Shop.unique("stranger");
        for (int at : new int[] {10, 40, token.length() - 3}) {
            char other = token.charAt(at) == 'A' ? 'B' : 'A';
            String forged = token.substring(0, at) + other + token.substring(at + 1);
            refused(use(forged), 403, "token-refused");
        }
        refused(shop.send(shop.postWithToken(stranger, token, TWO_SEATS)), 403, "token-refused");
        refused(shop.send(shop.postWithToken(stranger, token, "no order")), 403, "token-refused");
        String ofAForm = Visitor.tokenIn(shop.get(user, "/sessions/1"));
        refused(use(ofAForm), 403, "token-refused");

        oneOrderBy(token);
        assertThat(shop.ordersOf(stranger)).isZero();
    }

    static Stream<Arguments> badTokens() {
        return Stream.of(
                        "",
                        " ",
                        "x",
                        "a b",
                        "\u00e4\u00f6",
                        "\"quoted\"",
                        "a,b",
                        "=",
                        "a".repeat(100),
                        "a".repeat(6_000))
                .flatMap(token -> Stream.of("replay", "strict").map(mode -> Arguments.of(token, mode)));
    }

    @ParameterizedTest
    @MethodSource("badTokens")
    @DisplayName("C02: what is no token is refused, and the good one still works")
    void refusesWhatIsNoToken(String bad, String mode) throws Exception {
        String token = shop.token(user, PURPOSE, mode);
        String answer = shop.raw("POST /api/orders HTTP/1.1\r\nHost: shop\r\nConnection: close\r\nX-User: " + user
                + "\r\nContent-Type: application/json\r\nContent-Length: " + TWO_SEATS.length()
                + "\r\nIdempotency-Key: beside-it\r\nOnce-Token:" + bad + "\r\n\r\n" + TWO_SEATS);

        assertThat(answer).startsWith("HTTP/1.1 400 ").contains("\"code\":\"token-malformed\"");
        assertThat(shop.ordersOf(user)).isZero();
        oneOrderBy(token);
    }

    @ParameterizedTest
    @ValueSource(strings = {"replay", "strict"})
    void refusesTwoTokensAndOneThatDoesNotFit(String mode) {
        String token = shop.token(user, PURPOSE, mode);
        refused(
                shop.send(shop.postWithToken(user, token, TWO_SEATS).header("Once-Token", token)),
                400,
                "token-malformed");
        // More than Tomcat reads of all headers together.
        assertThat(use("a".repeat(10_000)).status()).isBetween(400, 499);
        assertThat(shop.ordersOf(user)).isZero();
        oneOrderBy(token);
    }

    @ParameterizedTest
    @ValueSource(strings = {"replay", "strict"})
    @DisplayName("C05: a token whose order failed with nothing done may try again")
    void givesATokenBackWhenNothingWasDone(String mode) {
        String token = shop.token(user, PURPOSE, mode);
        assertThat(shop.send(shop.postWithToken(user, token, "{\"sessionId\":99,\"quantity\":1}"))
                        .status())
                .isEqualTo(404);
        assertThat(shop.send(shop.postWithToken(user, token, "{\"sessionId\":1,\"quantity\":0}"))
                        .status())
                .isEqualTo(400);

        oneOrderBy(token);
    }

    @Test
    @DisplayName("C05: sold out is an answer: kept for a replay token, and a strict one is burnt")
    void soldOutIsAnAnswer() {
        String many = "{\"sessionId\":1,\"quantity\":2000000}";
        String replay = shop.token(user, PURPOSE, "replay");
        String strict = shop.token(user, PURPOSE, "strict");

        Answer first = shop.send(shop.postWithToken(user, replay, many));
        Answer again = shop.send(shop.postWithToken(user, replay, many));

        refused(first, 409, "sold-out");
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.replayed()).isTrue();
        refused(shop.send(shop.postWithToken(user, strict, many)), 409, "sold-out");
        refused(shop.send(shop.postWithToken(user, strict, many)), 409, "token-used");
        assertThat(shop.ordersOf(user)).isZero();
    }

    @Test
    void issuesTokensToUsersForKnownPurposes() {
        Answer issued = shop.send(shop.tokenRequest(user, "{\"purpose\":\"order.create\"}"));
        assertThat(issued.status()).isEqualTo(201);
        assertThat(issued.header("Cache-Control")).contains("no-store");
        assertThat(Instant.parse(issued.json().get("expiresAt").asString())).isAfter(Instant.now());
        oneOrderBy(issued.json().get("token").asString());

        for (String body : List.of(
                "", "{}", "[]", "{\"purpose\":\"order.form\"}", "{\"purpose\":\"order.create\",\"mode\":\"soft\"}")) {
            refused(shop.send(shop.tokenRequest(user, body)), 400, "token-request-invalid");
        }
        refused(shop.send(shop.tokenRequest("", "{}")), 401, "caller-unknown");
        assertThat(shop.get(user, "/api/tokens").status()).isEqualTo(405);
    }

    @Test
    @DisplayName("C02: of a user's unused strict tokens the oldest goes when there are too many")
    void unusedStrictTokensAreCapped() {
        List<String> tokens = IntStream.rangeClosed(0, 100)
                .mapToObj(n -> shop.token(user, PURPOSE, "strict"))
                .toList();

        refused(use(tokens.get(0)), 409, "token-used");
        oneOrderBy(tokens.get(100));
    }

    @Test
    void refusesExpiredTokens() {
        try (Shop hasty = Shop.start(database(), "shop.tokens.ttl=1ms")) {
            for (String mode : new String[] {"replay", "strict"}) {
                String token = expired(hasty, mode);
                refused(hasty.send(hasty.postWithToken(user, token, TWO_SEATS)), 403, "token-expired");
                refused(hasty.send(hasty.postWithToken(user, token, TWO_SEATS)), 403, "token-expired");
            }
            Visitor visitor = Visitor.browser(hasty);
            String form = visitor.form(1);
            expired(hasty, "replay");
            Answer page = visitor.send(1, form, "1");
            assertThat(page.status()).isEqualTo(403);
            assertThat(page.header("Content-Type")).startsWith("text/html");
            assertThat(page.body()).contains("has expired", "href=\"/sessions/1\"");
            refused(visitor.program().send(1, form, "1"), 403, "token-expired");
            assertThat(hasty.orders()).isZero();
        }
    }

    /** A token whose time is over, and with it that of all that were issued before. */
    private String expired(Shop hasty, String mode) {
        Answer issued =
                hasty.send(hasty.tokenRequest(user, "{\"purpose\":\"order.create\",\"mode\":\"" + mode + "\"}"));
        Instant end = Instant.parse(issued.json().get("expiresAt").asString()).plusMillis(5);
        Await.until(
                "the token's time is over",
                Duration.ofSeconds(60),
                () -> Instant.now().isAfter(end));
        return issued.json().get("token").asString();
    }

    @Test
    @DisplayName("C02: a restart of the shop with the same secret leaves its tokens good")
    void tokensOutliveARestart() {
        try (RedisServer redis = RedisServers.own()) {
            String[] settings = {
                database(),
                "shop.redis.uri=redis://127.0.0.1:" + redis.port(),
                "shop.tokens.secret=a-secret-of-the-tests-with-more-than-32-bytes"
            };
            String fresh;
            String used;
            String strict;
            Answer first;
            try (Shop before = Shop.start(settings)) {
                fresh = before.token(user, PURPOSE, "replay");
                used = before.token(user, PURPOSE, "replay");
                strict = before.token(user, PURPOSE, "strict");
                first = before.send(before.postWithToken(user, used, TWO_SEATS));
            }
            try (Shop after = Shop.start(settings)) {
                Answer again = after.send(after.postWithToken(user, used, TWO_SEATS));
                assertThat(again.body()).isEqualTo(first.body());
                assertThat(again.replayed()).isTrue();
                assertThat(after.ordersOf(user)).isEqualTo(1);
                for (String token : List.of(fresh, strict)) {
                    Answer answer = after.send(after.postWithToken(user, token, TWO_SEATS));
                    assertThat(answer.status()).isEqualTo(201);
                    assertThat(answer.replayed()).isFalse();
                }
                // the secret of a shop without one is its own
                refused(use(fresh), 403, "token-refused");
            }
        }
    }

    private static String database() {
        return "spring.datasource.url=jdbc:h2:mem:" + Shop.unique("tokens") + ";DB_CLOSE_DELAY=-1";
    }
}
