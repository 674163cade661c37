package io.oncegate.shop.web;

import io.oncegate.shop.order.Order;
import jakarta.servlet.http.HttpServletResponse;
import java.security.Principal;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * What happens to an order after it has been placed. No key is needed: order and event say which request it is. One that is
 * sent is used by the HTTP gate in front.
 */
@RestController
class OrderStepController {
    private final StepDesk desk;

    OrderStepController(StepDesk desk) {
        this.desk = desk;
    }

    @PostMapping(
            path = "/api/orders/{orderNo}/{event:" + StepDesk.EVENTS + "}",
            produces = MediaType.APPLICATION_JSON_VALUE)
    Order happens(
            @PathVariable String orderNo, @PathVariable String event, Principal user, HttpServletResponse response) {
        return desk.happens(event, orderNo, user, response);
    }
}
