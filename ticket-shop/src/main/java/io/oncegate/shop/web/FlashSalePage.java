package io.oncegate.shop.web;

import io.oncegate.shop.order.Order;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;

/** The second form of a session's page: it has no token, and one click buys one seat. */
@Controller
class FlashSalePage {
    private final FlashDesk desk;

    FlashSalePage(FlashDesk desk) {
        this.desk = desk;
    }

    @PostMapping(
            path = "/sessions/{id}/flash-orders",
            consumes = {MediaType.APPLICATION_FORM_URLENCODED_VALUE, MediaType.MULTIPART_FORM_DATA_VALUE})
    ResponseEntity<Void> buy(
            @PathVariable String id,
            @Nullable Principal visitor,
            HttpServletRequest request,
            HttpServletResponse response) {
        if (visitor == null) {
            throw new UnknownCallerException();
        }
        Order order = desk.buy(visitor, SessionPage.number(id), 1, request, response);
        return ResponseEntity.status(HttpStatus.SEE_OTHER)
                .location(URI.create("/orders/" + order.orderNo()))
                .build();
    }
}
