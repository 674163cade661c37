package io.oncegate.shop.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.shop.order.Order;
import io.oncegate.shop.order.OrderRequest;
import io.oncegate.shop.order.OrderStatus;
import io.oncegate.testsupport.Await;
import jakarta.servlet.http.HttpServletResponse;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** Those who wait for their turn must not take all threads. */
class FlashDeskTest {
    private static final int MOST = 50;

    private final AtomicInteger waiting = new AtomicInteger();
    private final CountDownLatch turn = new CountDownLatch(1);

    private final FlashDesk desk = new FlashDesk(new FlashSale(null) {
        @Override
        public Order buy(OrderRequest request, HttpServletResponse response) {
            return order("at once");
        }

        @Override
        public Order buyInTurn(OrderRequest request, HttpServletResponse response) {
            waiting.incrementAndGet();
            try {
                turn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return order("in turn");
        }
    });

    private static Order order(String number) {
        return new Order(number, OrderStatus.PENDING_PAYMENT, 1, 1, BigDecimal.ONE, Instant.EPOCH);
    }

    private String buy(String wait) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.addParameter("wait", wait);
        return desk.buy(() -> "ann", 1, 1, request, new MockHttpServletResponse())
                .orderNo();
    }

    @Test
    void onlySoManyWaitAndOthersAreServedAtOnce() {
        ExecutorService threads = Executors.newFixedThreadPool(MOST);
        try {
            List<CompletableFuture<String>> patient = IntStream.range(0, MOST)
                    .mapToObj(one -> CompletableFuture.supplyAsync(() -> buy("true"), threads))
                    .toList();
            Await.until("all of them wait", Duration.ofSeconds(30), () -> waiting.get() == MOST);

            assertThat(CompletableFuture.supplyAsync(() -> buy("true"))
                            .orTimeout(60, TimeUnit.SECONDS)
                            .join())
                    .isEqualTo("at once");
            assertThat(buy("false")).isEqualTo("at once");

            turn.countDown();
            assertThat(patient).allSatisfy(one -> assertThat(one.join()).isEqualTo("in turn"));
            assertThat(buy("true")).isEqualTo("in turn");
        } finally {
            turn.countDown();
            threads.shutdown();
        }
    }
}
