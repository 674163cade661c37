package io.oncegate.shop;

import static io.oncegate.shop.Shop.TWO_SEATS;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.shop.provider.Behaviour;
import io.oncegate.shop.provider.SimulatedProvider;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.TestDatabase;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The shop's process is killed while it waits for the payment provider, and its Redis goes with it. Another process on the same
 * database finds out what became of the money.
 */
class KilledShopIT {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String USER = "alice";

    private static List<String> settings(TestDatabase database, SimulatedProvider provider, String... more) {
        List<String> settings = new ArrayList<>(List.of(
                "spring.profiles.active=postgresql",
                "spring.datasource.url=" + database.url(),
                "spring.datasource.username=" + database.user(),
                "spring.datasource.password=" + database.password(),
                "shop.payment.url=" + provider.url(),
                "shop.payment.lease=2s"));
        settings.addAll(List.of(more));
        return settings;
    }

    private static long charges(SimulatedProvider provider, String order) {
        return provider.charges().stream()
                .filter(charge -> charge.order().equals(order))
                .count();
    }

    private static String state(ShopProcess shop, String order) {
        return shop.get(USER, "/api/orders/" + order).json().get("status").asString();
    }

    @Test
    @DisplayName(
            "killed in the middle of payments: money that was taken is found without another request, and taken once")
    void aKilledShopFindsOutAboutItsPayments() {
        try (TestDatabase database = Databases.POSTGRESQL.fresh();
                SimulatedProvider provider = SimulatedProvider.start(
                        Duration.ofHours(24), Duration.ofMinutes(10), null, InstantSource.system())) {
            Answer taken;
            Answer lost;
            List<String> patient =
                    settings(database, provider, "shop.payment.timeout=5m", "shop.payment.arrives-within=5m");
            try (ShopProcess shop = ShopProcess.start(patient)) {
                taken = shop.order(USER, "taken", TWO_SEATS);
                lost = shop.order(USER, "lost", TWO_SEATS);
                provider.next(Behaviour.TAKES_IN_SILENCE, Behaviour.LOSES);
                CompletableFuture<Answer> first = shop.pay(USER, taken.orderNo());
                Await.until("the money is taken", PATIENCE, () -> charges(provider, taken.orderNo()) == 1);
                CompletableFuture<Answer> second = shop.pay(USER, lost.orderNo());
                Await.until("both are asked for", PATIENCE, () -> provider.posts() == 2);

                assertThat(shop.kill()).isEqualTo(ShopProcess.KILLED);

                assertThat(first).failsWithin(PATIENCE);
                assertThat(second).failsWithin(PATIENCE);
            }
            try (ShopProcess shop = ShopProcess.start(settings(database, provider, StepStorm.QUICK))) {
                Await.until(
                        "the money is found",
                        PATIENCE,
                        () -> state(shop, taken.orderNo()).equals("PAID"));
                assertThat(provider.posts()).isEqualTo(2);
                Answer again = shop.pay(USER, taken.orderNo()).join();
                assertThat(again.status()).isEqualTo(200);
                assertThat(again.replayed()).isTrue();

                Await.until(
                        "the other one is paid",
                        PATIENCE,
                        () -> shop.pay(USER, lost.orderNo()).join().status() == 200);
                assertThat(charges(provider, taken.orderNo())).isEqualTo(1);
                assertThat(charges(provider, lost.orderNo())).isEqualTo(1);

                // Redis knows nothing of the orders any more.
                Answer repeated = shop.order(USER, "taken", TWO_SEATS);
                assertThat(repeated.replayed()).isTrue();
                assertThat(repeated.body()).isEqualTo(taken.body());
            }
        }
    }
}
