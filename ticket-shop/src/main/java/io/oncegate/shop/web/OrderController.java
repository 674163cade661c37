package io.oncegate.shop.web;

import io.oncegate.shop.order.Order;
import io.oncegate.shop.order.OrderRequest;
import io.oncegate.shop.order.Orders;
import io.oncegate.shop.order.UnknownOrderException;
import io.oncegate.spring.http.KeySource;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Orders, each customer's own. The HTTP gate stands before {@link #place}, the judge behind it. */
@RestController
@RequestMapping(path = "/api/orders", produces = MediaType.APPLICATION_JSON_VALUE)
class OrderController {
    private final OrderDesk desk;
    private final Orders orders;

    OrderController(OrderDesk desk, Orders orders) {
        this.desk = desk;
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
            @RequestAttribute(KeySource.ATTRIBUTE) String key,
            Principal user,
            HttpServletResponse response) {
        Order order = desk.place(request(wish, key, user), response);
        return ResponseEntity.created(URI.create("/api/orders/" + order.orderNo()))
                .body(order);
    }

    private static OrderRequest request(Wish wish, String key, Principal user) {
        Long sessionId = wish.sessionId();
        Integer quantity = wish.quantity();
        if (sessionId == null) {
            throw new BadOrderException("Name the session with sessionId, a number that GET /api/sessions lists.");
        }
        if (quantity == null || quantity < 1) {
            throw new BadOrderException("Say with quantity how many seats you want: a whole number, 1 or more.");
        }
        return new OrderRequest(user.getName(), key, sessionId, quantity);
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
