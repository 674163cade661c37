package io.oncegate.shop.web;

import io.oncegate.core.Outcome;
import io.oncegate.shop.order.Order;
import io.oncegate.shop.order.OrderRequest;
import io.oncegate.shop.order.OrderService;
import io.oncegate.shop.order.Orders;
import io.oncegate.shop.order.UnknownOrderException;
import io.oncegate.spring.http.HeaderRules;
import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.IdempotencyKeyHeader;
import io.oncegate.spring.http.KeyReading;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Orders, each customer's own. The HTTP gate stands before {@link #place}, the judge behind it. */
@RestController
@RequestMapping(path = "/api/orders", produces = MediaType.APPLICATION_JSON_VALUE)
class OrderController {
    private static final IdempotencyKeyHeader KEY = IdempotencyKeyHeader.lenient();

    private final OrderService service;
    private final Orders orders;

    OrderController(OrderService service, Orders orders) {
        this.service = service;
        this.orders = orders;
    }

    /**
     * What is to be bought.
     *
     * @param sessionId as {@code GET /api/sessions} tells
     * @param quantity seats, 1 or more
     */
    record Wish(@Nullable Long sessionId, @Nullable Integer quantity) {}

    @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<Order> place(
            @RequestBody Wish wish,
            @RequestHeader(IdempotencyKeyHeader.DEFAULT_NAME) List<String> keys,
            Principal user,
            HttpServletResponse response) {
        Outcome<Order> outcome = service.place(request(wish, keys, user));
        if (outcome.replayed()) {
            response.setHeader(HeaderRules.REPLAYED, "true");
        }
        if (outcome instanceof Outcome.Executed || outcome instanceof Outcome.Replayed) {
            Order order = outcome.orElseThrow();
            if (order != null) {
                return ResponseEntity.created(URI.create("/api/orders/" + order.orderNo()))
                        .body(order);
            }
        } else if (outcome instanceof Outcome.Refused<Order> refused) {
            throw refused.refusal();
        } else if (outcome instanceof Outcome.Held) {
            // Not 409: that would be for good, and the gate in front would keep it.
            throw new GateAnswerException(HttpProblem.of(outcome).withStatus(HttpStatus.SERVICE_UNAVAILABLE.value()));
        }
        throw new GateAnswerException(HttpProblem.of(outcome));
    }

    private static OrderRequest request(Wish wish, List<String> keys, Principal user) {
        if (!(KEY.read(keys) instanceof KeyReading.Found key)) {
            throw new BadOrderException("Send one Idempotency-Key; a new one for each new order.");
        }
        Long sessionId = wish.sessionId();
        Integer quantity = wish.quantity();
        if (sessionId == null) {
            throw new BadOrderException("Name the session with sessionId, a number that GET /api/sessions lists.");
        }
        if (quantity == null || quantity < 1) {
            throw new BadOrderException("Say with quantity how many seats you want: a whole number, 1 or more.");
        }
        return new OrderRequest(user.getName(), key.value(), sessionId, quantity);
    }

    @GetMapping
    List<Order> mine(Principal user) {
        return orders.of(user.getName());
    }

    @GetMapping("/{orderNo}")
    Order one(@PathVariable String orderNo, Principal user) {
        return orders.find(user.getName(), orderNo).orElseThrow(UnknownOrderException::new);
    }
}
