package io.oncegate.benchmarks.http;

import java.util.concurrent.atomic.AtomicLong;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** The handler of all HTTP rows, the same for both web frameworks: reads JSON, counts, writes JSON. Thread-safe. */
@RestController
final class OrderController {
    private final AtomicLong runs;

    OrderController(AtomicLong runs) {
        this.runs = runs;
    }

    record Order(long sessionId, int quantity, String note) {}

    record Placed(long sessionId, int quantity, String text) {}

    @PostMapping({OrderServer.PATH, OrderServer.TOKEN_PATH})
    Placed place(@RequestBody Order order) {
        runs.incrementAndGet();
        return new Placed(order.sessionId(), order.quantity(), order.note());
    }
}
