package io.oncegate.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to an order after it has been placed: once each, the same answer again, and nothing that does not go with it. */
class StepIT {
    private final Shop shop = Shop.standard();
    private final String user = Shop.unique("owner");

    private void happened(Answer answer, String state, boolean repeated) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        assertThat(answer.json().path("status").asString("")).isEqualTo(state);
        assertThat(answer.replayed()).isEqualTo(repeated);
    }

    private static void illegal(Answer answer, String state, String... allowed) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(409);
        assertThat(answer.isProblem()).isTrue();
        assertThat(answer.replayed()).isFalse();
        assertThat(answer.json().path("code").asString("")).isEqualTo("step-illegal");
        assertThat(answer.json().path("state").asString("")).isEqualTo(state);
        assertThat(answer.json().path("allowedEvents").valueStream().map(event -> event.asString("")))
                .containsExactly(allowed);
    }

    private String state(String order) {
        return shop.get(user, "/api/orders/" + order).json().get("status").asString();
    }

    @Test
    void refusesWhatDoesNotGoWithTheOrderAndTellsWhatDoes() {
        String order = shop.placed(user, 1, 1);
        illegal(shop.step(user, order, "ship"), "PENDING_PAYMENT", "pay", "cancel");
        illegal(shop.step(user, order, "complete"), "PENDING_PAYMENT", "pay", "cancel");
        happened(shop.step(user, order, "pay"), "PAID", false);
        illegal(shop.step(user, order, "cancel"), "PAID", "ship");
        illegal(shop.step(user, order, "complete"), "PAID", "ship");
        happened(shop.step(user, order, "ship"), "SHIPPED", false);
        illegal(shop.step(user, order, "cancel"), "SHIPPED", "complete");
        happened(shop.step(user, order, "complete"), "COMPLETED", false);
        illegal(shop.step(user, order, "cancel"), "COMPLETED");

        String other = shop.placed(user, 1, 1);
        happened(shop.step(user, other, "cancel"), "CANCELLED", false);
        illegal(shop.step(user, other, "pay"), "CANCELLED");
        illegal(shop.step(user, other, "ship"), "CANCELLED");
        assertThat(shop.charges(other)).isZero();
    }

    @Test
    @DisplayName("C61: the same event again is answered as the first time, also when the order is further on")
    void answersARepeatedEventAsTheFirstTime() throws Exception {
        String order = shop.placed(user, 1, 2);
        Answer paid = shop.step(user, order, "pay");
        Answer again = shop.step(user, order, "pay");
        Answer shipped = shop.step(user, order, "ship");
        happened(paid, "PAID", false);
        happened(again, "PAID", true);
        assertThat(again.body()).isEqualTo(paid.body());
        shop.flushRedis();
        happened(shop.step(user, order, "complete"), "COMPLETED", false);

        for (String key : List.of("", "some-key", "some-key")) {
            Answer payAgain = keyed(order, "pay", key);
            Answer shipAgain = keyed(order, "ship", key);
            happened(payAgain, "PAID", true);
            happened(shipAgain, "SHIPPED", true);
            assertThat(payAgain.body()).isEqualTo(paid.body());
            assertThat(shipAgain.body()).isEqualTo(shipped.body());
        }
        assertThat(state(order)).isEqualTo("COMPLETED");
        assertThat(shop.charges(order)).isEqualTo(1);
    }

    private Answer keyed(String order, String event, String key) {
        HttpRequest.Builder request = shop.stepping(user, order, event);
        return shop.send(key.isEmpty() ? request : request.header("Idempotency-Key", key));
    }

    @Test
    @DisplayName("C59: an event that came too early may come again, under the same key too")
    void anIllegalEventMayBeLegalLater() {
        String order = shop.placed(user, 1, 1);
        illegal(keyed(order, "ship", "k"), "PENDING_PAYMENT", "pay", "cancel");
        happened(keyed(order, "pay", "k"), "PAID", false);
        happened(keyed(order, "ship", "k"), "SHIPPED", false);
        happened(keyed(order, "ship", "k"), "SHIPPED", true);
        happened(keyed(order, "pay", "k"), "PAID", true);
    }

    @Test
    void cancellingGivesTheSeatsBackOnce() throws Exception {
        int stock = shop.stock(1);
        String order = shop.placed(user, 1, 3);
        assertThat(shop.stock(1)).isEqualTo(stock - 3);

        List<Answer> answers = all(IntStream.range(0, 20)
                .mapToObj(copy -> shop.sendAsync(shop.stepping(user, order, "cancel")))
                .toList());

        assertThat(answers).extracting(Answer::status).containsOnly(200);
        assertThat(answers).extracting(Answer::body).containsOnly(answers.get(0).body());
        assertThat(answers).filteredOn(answer -> !answer.replayed()).hasSize(1);
        shop.flushRedis();
        happened(shop.step(user, order, "cancel"), "CANCELLED", true);
        assertThat(shop.stock(1)).isEqualTo(stock);
    }

    @ParameterizedTest
    @ValueSource(strings = {"pay", "ship", "complete", "cancel"})
    @DisplayName("C50: another's order is not there")
    void letsNothingHappenToAnothersOrder(String event) {
        String order = shop.placed(user, 1, 1);
        Answer stranger = shop.step(Shop.unique("stranger"), order, event);
        Answer nowhere = shop.step(user, "20200101-000000000000", event);
        Answer nonsense = shop.step(user, "1%27%20OR%201=1", event);

        for (Answer answer : List.of(stranger, nowhere, nonsense)) {
            assertThat(answer.status()).as(answer.body()).isEqualTo(404);
            assertThat(answer.isProblem()).isTrue();
            assertThat(answer.json().path("code").asString("")).isEqualTo("order-unknown");
        }
        assertThat(shop.send(shop.request("/api/orders/" + order + "/" + event)
                                .POST(HttpRequest.BodyPublishers.noBody()))
                        .status())
                .isEqualTo(401);
        assertThat(shop.get(user, "/api/orders/" + order + "/" + event).status())
                .isEqualTo(405);
        assertThat(shop.step(user, order, event + "x").status()).isEqualTo(404);
        assertThat(shop.step(user, order, event.toUpperCase(java.util.Locale.ROOT))
                        .status())
                .isEqualTo(404);
        assertThat(state(order)).isEqualTo("PENDING_PAYMENT");
        assertThat(shop.charges(order)).isZero();
    }

    @Test
    void whatIsSentAlongDoesNotMatter() {
        String order = shop.placed(user, 1, 1);
        for (String body : List.of("", "{}", "null", "{\"amount\":0}", "[".repeat(3000), "\u0000")) {
            Answer answer = shop.send(shop.stepping(user, order, "pay")
                    .header("Content-Type", body.isEmpty() ? "text/plain" : "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(body)));
            assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        }
        assertThat(shop.charges(order)).isEqualTo(1);
        assertThat(shop.send(shop.stepping(user, order, "pay").header("Idempotency-Key", "a,b"))
                        .status())
                .isEqualTo(400);
        assertThat(shop.send(shop.stepping(user, order, "ship").header("Accept", "text/html"))
                        .status())
                .isEqualTo(406);
        assertThat(state(order)).isEqualTo("PAID");
    }

    private static List<Answer> all(List<CompletableFuture<Answer>> sent) {
        return sent.stream().map(CompletableFuture::join).toList();
    }
}
