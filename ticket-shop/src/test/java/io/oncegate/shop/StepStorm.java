package io.oncegate.shop;

import static io.oncegate.shop.provider.Behaviour.CANNOT_WORK;
import static io.oncegate.shop.provider.Behaviour.DECLINES;
import static io.oncegate.shop.provider.Behaviour.TAKES;
import static io.oncegate.shop.provider.Behaviour.TAKES_IN_SILENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.shop.provider.Behaviour;
import io.oncegate.testsupport.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Everything happens to many orders at once: money, seats and states agree afterwards. */
final class StepStorm {
    /** What makes the shop quick to find out; the defaults are for people. */
    static final String[] QUICK = {
        "shop.payment.timeout=1s",
        "shop.payment.arrives-within=1s",
        "shop.payment.ask-again-after=200ms",
        "shop.payment.sweep-after=1s",
        "shop.payment.sweep-every=500ms",
        "shop.provider.late=1500ms"
    };

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int ORDERS = 12;
    private static final List<Behaviour> MOODS = List.of(TAKES, TAKES, TAKES, TAKES_IN_SILENCE, DECLINES, CANNOT_WORK);

    private final Shop shop;
    private final String user = Shop.unique("storm");
    private final Random random;

    private StepStorm(Shop shop, long seed) {
        this.shop = shop;
        this.random = new Random(seed);
    }

    /** Pays and cancels at once, then all other events at once. */
    static void rage(Shop shop) {
        long seed = new Random().nextLong();
        try {
            new StepStorm(shop, seed).rage();
        } catch (AssertionError e) {
            throw new AssertionError("storm of seed " + seed + ": " + e.getMessage(), e);
        } finally {
            shop.provider().always(TAKES);
        }
    }

    private void rage() {
        int stock = shop.stock(2);
        List<String> orders = new ArrayList<>();
        for (int i = 0; i < ORDERS; i++) {
            orders.add(shop.placed(user, 2, 1));
            shop.provider().next(MOODS.get(random.nextInt(MOODS.size())));
        }
        fire(orders, "pay", "pay", "pay", "cancel", "cancel", "cancel");
        for (String order : orders) {
            Await.until("the order is paid or cancelled", PATIENCE, () -> {
                String state = state(order);
                return !state.equals("PENDING_PAYMENT")
                        || shop.step(user, order, "cancel").status() == 200;
            });
        }
        List<String> paid =
                orders.stream().filter(order -> state(order).equals("PAID")).toList();
        assertThat(orders).allSatisfy(order -> {
            assertThat(state(order)).isIn("PAID", "CANCELLED");
            assertThat(shop.charges(order)).as(order).isEqualTo(paid.contains(order) ? 1 : 0);
        });
        assertThat(shop.stock(2)).isEqualTo(stock - paid.size());

        fire(paid, "ship", "ship", "complete", "complete", "cancel", "pay");
        for (String order : paid) {
            assertThat(state(order)).isIn("SHIPPED", "COMPLETED");
            assertThat(shop.step(user, order, "complete").status()).isEqualTo(200);
            assertThat(shop.step(user, order, "pay").json().get("status").asString())
                    .isEqualTo("PAID");
            assertThat(state(order)).isEqualTo("COMPLETED");
            assertThat(shop.charges(order)).isEqualTo(1);
        }
        assertThat(shop.stock(2)).isEqualTo(stock - paid.size());
    }

    private String state(String order) {
        return shop.get(user, "/api/orders/" + order).json().get("status").asString();
    }

    private void fire(List<String> orders, String... events) {
        List<String[]> storm = new ArrayList<>();
        for (String order : orders) {
            for (String event : events) {
                storm.add(new String[] {order, event});
            }
        }
        Collections.shuffle(storm, random);
        List<CompletableFuture<Answer>> answers = storm.stream()
                .map(one -> shop.sendAsync(shop.stepping(user, one[0], one[1])))
                .toList();
        assertThat(answers.stream().map(CompletableFuture::join))
                .allSatisfy(
                        answer -> assertThat(answer.status()).as(answer.body()).isIn(200, 402, 409, 503));
    }
}
