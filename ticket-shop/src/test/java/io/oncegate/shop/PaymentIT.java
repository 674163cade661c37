package io.oncegate.shop;

import static io.oncegate.shop.provider.Behaviour.CANNOT_WORK;
import static io.oncegate.shop.provider.Behaviour.DECLINES;
import static io.oncegate.shop.provider.Behaviour.LOSES;
import static io.oncegate.shop.provider.Behaviour.TAKES;
import static io.oncegate.shop.provider.Behaviour.TAKES_IN_SILENCE;
import static io.oncegate.shop.provider.Behaviour.TAKES_LATE;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.shop.provider.Behaviour;
import io.oncegate.testsupport.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Paying through a provider that declines, fails, or takes the money and says nothing: the money is taken once, or not at all. */
class PaymentIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static Shop shop;
    private final String user = Shop.unique("payer");

    @BeforeAll
    static void start() {
        List<String> settings = new ArrayList<>(List.of(StepStorm.QUICK));
        settings.add("spring.datasource.url=jdbc:h2:mem:" + Shop.unique("payment") + ";DB_CLOSE_DELAY=-1");
        shop = Shop.start(settings.toArray(String[]::new));
    }

    @AfterAll
    static void stop() {
        shop.close();
    }

    @AfterEach
    void isReliableAgain() {
        shop.provider().always(TAKES);
    }

    private Answer pay(String order) {
        return shop.step(user, order, "pay");
    }

    private static void problem(Answer answer, int status, String code) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.isProblem()).isTrue();
        assertThat(answer.json().path("code").asString("")).isEqualTo(code);
        assertThat(answer.replayed()).isFalse();
        if (status == 503) {
            assertThat(answer.header("Retry-After")).matches("[1-9][0-9]*");
        }
    }

    private String state(String order) {
        return shop.get(user, "/api/orders/" + order).json().get("status").asString();
    }

    private void becomes(String order, String state) {
        Await.until("the order is " + state, PATIENCE, () -> state(order).equals(state));
    }

    private Answer paidInTheEnd(String order) {
        Await.until("the order is paid", PATIENCE, () -> pay(order).status() == 200);
        Answer answer = pay(order);
        assertThat(answer.json().get("status").asString()).isEqualTo("PAID");
        assertThat(shop.charges(order)).isEqualTo(1);
        return answer;
    }

    private int payments(String order) {
        return shop.number("SELECT count(*) FROM payment WHERE payment_key LIKE '" + order + "-%'");
    }

    @Test
    void moneyThatWasTakenInSilenceIsFoundAndTakenOnce() {
        String order = shop.placed(user, 1, 2);
        int posts = shop.provider().posts();
        shop.provider().next(TAKES_IN_SILENCE);

        problem(pay(order), 503, "payment-unknown");

        Answer paid = paidInTheEnd(order);
        assertThat(pay(order).body()).isEqualTo(paid.body());
        assertThat(shop.provider().posts()).isEqualTo(posts + 1);
        assertThat(payments(order)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"TAKES_IN_SILENCE", "TAKES_LATE"})
    void itIsFoundOutWithoutAnotherRequest(Behaviour behaviour) {
        String order = shop.placed(user, 1, 1);
        shop.provider().next(behaviour);

        problem(pay(order), 503, "payment-unknown");

        becomes(order, "PAID");
        assertThat(shop.charges(order)).isEqualTo(1);
    }

    @Test
    void anOrderIsNotCancelledWhileItsMoneyMayBeOnTheWay() {
        String order = shop.placed(user, 1, 1);
        int stock = shop.stock(1);
        shop.provider().next(TAKES_LATE);
        problem(pay(order), 503, "payment-unknown");

        Answer cancelled = shop.step(user, order, "cancel");

        problem(cancelled, 409, "step-illegal");
        assertThat(cancelled.json().path("state").asString("")).isEqualTo("PENDING_PAYMENT");
        assertThat(cancelled.json().path("allowedEvents").toString()).isEqualTo("[\"pay\"]");
        becomes(order, "PAID");
        assertThat(shop.stock(1)).isEqualTo(stock);
    }

    @Test
    void aRequestThatTheProviderLostIsSentAgainWhenItCannotArriveAnyMore() {
        String order = shop.placed(user, 1, 1);
        shop.provider().next(LOSES);
        problem(pay(order), 503, "payment-unknown");
        paidInTheEnd(order);
    }

    @Test
    void aRequestThatMayStillArriveIsNotSentAgain() {
        String order = shop.placed(user, 1, 1);
        int posts = shop.provider().posts();
        shop.provider().next(LOSES);
        payInSilence(order, () -> asked(order, "2100-01-01"));

        int questions = shop.provider().questions();
        Await.until("it is asked for again and again", PATIENCE, () -> {
            problem(pay(order), 503, "payment-unknown");
            return shop.provider().questions() > questions + 1;
        });
        assertThat(shop.provider().posts()).isEqualTo(posts + 1);
        problem(shop.step(user, order, "cancel"), 409, "step-illegal");

        asked(order, "2020-01-01");
        paidInTheEnd(order);
    }

    /** Pays, is told that nobody knows, and does this as soon as the provider has been asked: before anything else can look. */
    private void payInSilence(String order, Runnable meanwhile) {
        int posts = shop.provider().posts();
        CompletableFuture<Answer> paying = CompletableFuture.supplyAsync(() -> pay(order));
        Await.until("the provider is asked", PATIENCE, () -> shop.provider().posts() > posts);
        meanwhile.run();
        problem(paying.join(), 503, "payment-unknown");
    }

    /** As if the provider had last been asked for the money on this day. */
    private void asked(String order, String day) {
        assertThat(shop.update("UPDATE payment SET asked_at = TIMESTAMP '" + day + " 00:00:00' WHERE payment_key = '"
                        + order + "-1'"))
                .isEqualTo(1);
    }

    @Test
    void aPaymentThatNobodyComesBackForIsGivenUpAndTheOrderMayBeCancelled() {
        int stock = shop.stock(1);
        String order = shop.placed(user, 1, 2);
        int posts = shop.provider().posts();
        shop.provider().next(LOSES);
        problem(pay(order), 503, "payment-unknown");

        Await.until(
                "the order is cancelled",
                PATIENCE,
                () -> shop.step(user, order, "cancel").status() == 200);

        assertThat(shop.provider().posts()).isEqualTo(posts + 1);
        assertThat(shop.charges(order)).isZero();
        assertThat(shop.stock(1)).isEqualTo(stock);
        problem(pay(order), 409, "step-illegal");
    }

    @Test
    void aDeclinedCardLeavesTheOrderForAnotherPayment() {
        String order = shop.placed(user, 1, 1);
        shop.provider().next(DECLINES, TAKES);
        HttpRequest.Builder keyed = shop.stepping(user, order, "pay").header("Idempotency-Key", "k");

        Answer declined = shop.send(keyed);
        Answer again = shop.send(keyed);

        problem(declined, 402, "payment-declined");
        assertThat(again.status()).isEqualTo(402);
        assertThat(again.replayed()).isTrue();
        assertThat(payments(order)).isEqualTo(1);
        assertThat(state(order)).isEqualTo("PENDING_PAYMENT");
        assertThat(pay(order).status()).isEqualTo(200);
        assertThat(payments(order)).isEqualTo(2);
        assertThat(shop.charges(order)).isEqualTo(1);
    }

    @Test
    void aProviderThatCannotWorkTakesNothing() {
        String order = shop.placed(user, 1, 1);
        String other = shop.placed(user, 1, 1);
        shop.provider().next(CANNOT_WORK, CANNOT_WORK);
        problem(pay(order), 503, "payment-unavailable");
        problem(pay(other), 503, "payment-unavailable");

        assertThat(pay(order).status()).isEqualTo(200);
        assertThat(shop.charges(order)).isEqualTo(1);
        assertThat(shop.step(user, other, "cancel").status()).isEqualTo(200);
        assertThat(shop.charges(other)).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"TAKES", "TAKES_IN_SILENCE", "DECLINES"})
    void manyClicksAtOnceAreOnePayment(Behaviour behaviour) {
        String order = shop.placed(user, 1, 1);
        int posts = shop.provider().posts();
        shop.provider().next(behaviour);
        List<CompletableFuture<Answer>> clicks = IntStream.range(0, 20)
                .mapToObj(click -> shop.sendAsync(shop.stepping(user, order, "pay")))
                .toList();
        List<Answer> answers = clicks.stream().map(CompletableFuture::join).toList();

        assertThat(answers).extracting(Answer::status).containsAnyOf(200, 402, 409, 503);
        assertThat(answers).extracting(Answer::status).doesNotContain(500);
        paidInTheEnd(order);
        if (behaviour != DECLINES) {
            assertThat(shop.provider().posts()).isEqualTo(posts + 1);
            assertThat(payments(order)).isEqualTo(1);
        }
    }

    @Test
    void moneyThatCouldNotBeWrittenDownIsFoundAgain() {
        String order = shop.placed(user, 1, 1);
        int posts = shop.provider().posts();
        shop.provider().next(TAKES_LATE);
        problem(pay(order), 503, "payment-unknown");

        // Nothing can be written to the order when the money comes, and longer than one try may wait.
        shop.holdingOrder(order, () -> {
            int asked = shop.provider().questions();
            Await.until("the money is taken", PATIENCE, () -> shop.charges(order) == 1);
            Await.until("it is asked for twice", PATIENCE, () -> shop.provider().questions() > asked + 1);
        });

        becomes(order, "PAID");
        assertThat(shop.provider().posts()).isEqualTo(posts + 1);
    }

    @Test
    void aCrashAfterTheMoneyWasTakenIsMadeGood() throws Exception {
        String order = shop.placed(user, 1, 1);
        String key = order + "-1";
        // What a process leaves behind that dies between the provider's answer and its own commit.
        shop.update("UPDATE orders SET paying = '" + key + "', payments = 1 WHERE order_no = '" + order + "'");
        shop.update("INSERT INTO payment (payment_key, order_id, attempt, amount, state, created_at, asked_at)"
                + " SELECT '" + key + "', id, 1, amount, 0, created_at, created_at FROM orders WHERE order_no = '"
                + order + "'");
        takenBehindTheShopsBack(order, key);

        becomes(order, "PAID");
        assertThat(shop.charges(order)).isEqualTo(1);
        Answer again = pay(order);
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.replayed()).isTrue();
    }

    private void takenBehindTheShopsBack(String order, String key) throws Exception {
        String amount = shop.text("SELECT amount FROM orders WHERE order_no = '" + order + "'");
        HttpRequest request = HttpRequest.newBuilder(URI.create(shop.provider().url() + "/payments"))
                .header("Idempotency-Key", key)
                .POST(BodyPublishers.ofString("{\"order\":\"" + order + "\",\"amount\":\"" + amount + "\"}"))
                .build();
        assertThat(HttpClient.newHttpClient()
                        .send(request, BodyHandlers.discarding())
                        .statusCode())
                .isEqualTo(201);
    }

    @Test
    void nothingIsSentAgainOnceTheProviderMayHaveForgotten() {
        String order = shop.placed(user, 1, 1);
        int posts = shop.provider().posts();
        shop.provider().next(LOSES);
        payInSilence(
                order,
                () -> shop.update(
                        "UPDATE payment SET created_at = TIMESTAMP '2020-01-01 00:00:00', asked_at = TIMESTAMP"
                                + " '2020-01-01 00:00:00' WHERE payment_key = '" + order + "-1'"));
        // Even without the record the row knows how old it is.
        shop.update("DELETE FROM oncegate_record WHERE operation = 'order.pay'");

        for (int times = 0; times < 3; times++) {
            problem(pay(order), 503, "payment-unknown");
        }

        assertThat(shop.provider().posts()).isEqualTo(posts + 1);
        assertThat(state(order)).isEqualTo("PENDING_PAYMENT");
        problem(shop.step(user, order, "cancel"), 409, "step-illegal");
    }

    @Test
    void aProviderThatIsNotThereTakesNothing() {
        try (Shop alone = Shop.start(
                "spring.datasource.url=jdbc:h2:mem:" + Shop.unique("alone") + ";DB_CLOSE_DELAY=-1",
                "shop.payment.url=http://127.0.0.1:1/")) {
            String order = alone.placed(user, 1, 1);
            problem(alone.step(user, order, "pay"), 503, "payment-unavailable");
            problem(alone.step(user, order, "pay"), 503, "payment-unavailable");
            assertThat(alone.step(user, order, "cancel").status()).isEqualTo(200);
        }
    }
}
