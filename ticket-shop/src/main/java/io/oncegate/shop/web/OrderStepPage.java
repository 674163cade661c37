package io.oncegate.shop.web;

import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;

/** The buttons of an order's page. They need no token: order and event say which request it is. */
@Controller
class OrderStepPage {
    private final StepDesk desk;

    OrderStepPage(StepDesk desk) {
        this.desk = desk;
    }

    @PostMapping(path = "/orders/{orderNo}/{event:" + StepDesk.EVENTS + "}")
    ResponseEntity<Void> happens(
            @PathVariable String orderNo,
            @PathVariable String event,
            @Nullable Principal visitor,
            HttpServletResponse response) {
        if (visitor == null) {
            throw new UnknownCallerException();
        }
        String order = desk.happens(event, orderNo, visitor, response).orderNo();
        return ResponseEntity.status(HttpStatus.SEE_OTHER)
                .location(URI.create("/orders/" + order))
                .build();
    }
}
