package io.oncegate.shop.web;

import io.oncegate.core.Outcome;
import io.oncegate.shop.order.Order;
import io.oncegate.shop.order.OrderRequest;
import io.oncegate.shop.order.OrderService;
import io.oncegate.spring.http.HeaderRules;
import io.oncegate.spring.http.HttpProblem;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;

/** Where API and page place orders: what the judge says becomes an order, or an exception that says how to answer. */
@Component
class OrderDesk {
    private final OrderService service;

    OrderDesk(OrderService service) {
        this.service = service;
    }

    /** The order of this request, of now or of the first time; the answer is marked in the second case. */
    Order place(OrderRequest request, HttpServletResponse response) {
        Outcome<Order> outcome = service.place(request);
        if (outcome instanceof Outcome.Held) {
            // Not 409: that would be for good, and the gate in front would keep it.
            throw new GateAnswerException(HttpProblem.of(outcome).withStatus(HttpStatus.SERVICE_UNAVAILABLE.value()));
        }
        return order(outcome, response);
    }

    /** What the operation has brought; the answer is marked if it was so before. */
    static Order order(Outcome<Order> outcome, HttpServletResponse response) {
        if (outcome.replayed()) {
            response.setHeader(HeaderRules.REPLAYED, "true");
        }
        if (outcome instanceof Outcome.Executed || outcome instanceof Outcome.Replayed) {
            Order order = outcome.orElseThrow();
            if (order != null) {
                return order;
            }
        } else if (outcome instanceof Outcome.Refused<Order> refused) {
            throw refused.refusal();
        }
        throw outcome instanceof Outcome.Unknown
                ? new UnknownOutcomeException(HttpProblem.of(outcome))
                : new GateAnswerException(HttpProblem.of(outcome));
    }
}
