package io.oncegate.shop.web;

import io.oncegate.shop.order.Order;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Orders without a key: what tells a double click from a second wish is the window. */
@RestController
@RequestMapping(path = "/api/flash-orders", produces = MediaType.APPLICATION_JSON_VALUE)
class FlashOrderController {
    private final FlashDesk desk;

    FlashOrderController(FlashDesk desk) {
        this.desk = desk;
    }

    /**
     * What is to be bought.
     *
     * @param sessionId as {@code GET /api/sessions} tells
     * @param quantity seats, 1 or more; 1 if it is left out
     */
    record Wish(@Nullable Long sessionId, @Nullable Integer quantity) {}

    @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<Order> place(
            @RequestBody Wish wish, Principal user, HttpServletRequest asked, HttpServletResponse response) {
        Long sessionId = wish.sessionId();
        int quantity = wish.quantity() == null ? 1 : wish.quantity();
        if (sessionId == null) {
            throw new BadOrderException("Name the session with sessionId, a number that GET /api/sessions lists.");
        }
        if (quantity < 1) {
            throw new BadOrderException(
                    "Say with quantity how many seats you want, 1 or more, or leave it out for one.");
        }
        Order order = desk.buy(user, sessionId, quantity, asked, response);
        return ResponseEntity.created(URI.create("/api/orders/" + order.orderNo()))
                .body(order);
    }
}
