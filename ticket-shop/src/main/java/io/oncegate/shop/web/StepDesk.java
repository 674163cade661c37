package io.oncegate.shop.web;

import io.oncegate.core.Outcome;
import io.oncegate.shop.order.Order;
import io.oncegate.shop.order.OrderEvent;
import io.oncegate.shop.order.OrderLife;
import io.oncegate.shop.order.Step;
import io.oncegate.shop.payment.PaymentService;
import io.oncegate.spring.http.HeaderRules;
import jakarta.servlet.http.HttpServletResponse;
import java.security.Principal;
import java.util.Locale;
import org.springframework.stereotype.Component;

/** Where API and page let things happen to orders; what had happened before is answered as then, and marked. */
@Component
class StepDesk {
    /** The events' words in addresses. */
    static final String EVENTS = "pay|ship|complete|cancel";

    private final OrderLife orders;
    private final PaymentService payments;

    StepDesk(OrderLife orders, PaymentService payments) {
        this.orders = orders;
        this.payments = payments;
    }

    /** The order after it. */
    Order happens(String word, String orderNo, Principal user, HttpServletResponse response) {
        OrderEvent event = OrderEvent.valueOf(word.toUpperCase(Locale.ROOT));
        if (event == OrderEvent.PAY) {
            return pay(orderNo, user, response);
        }
        Step step = orders.fire(user.getName(), orderNo, event);
        if (step.repeated()) {
            response.setHeader(HeaderRules.REPLAYED, "true");
        }
        return step.order();
    }

    private Order pay(String orderNo, Principal user, HttpServletResponse response) {
        Outcome<Order> outcome = payments.pay(user.getName(), orderNo);
        if (outcome instanceof Outcome.Unknown<Order> unknown) {
            throw new PaymentUnknownException(unknown.retryAfter());
        }
        return OrderDesk.order(outcome, response);
    }
}
