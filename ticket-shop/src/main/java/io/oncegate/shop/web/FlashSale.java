package io.oncegate.shop.web;

import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.shop.order.Order;
import io.oncegate.shop.order.OrderRequest;
import io.oncegate.spring.lock.OncePerWindow;
import io.oncegate.spring.lock.WhenHeld;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.stereotype.Component;

/**
 * Sales during a rush: a second order of the same user for the same session within the window is taken for a double click,
 * whatever its request id. What fails has ordered nothing, and closes the window. The window is in Redis and may be lost;
 * the judge behind it never sells a seat that is not there.
 */
@Component
class FlashSale {
    private static final String OPERATION = "flash.order";
    private static final String WINDOW = "${shop.flash.window:5s}";

    /** Short, so that whoever meets a running order is not told to come back much later. It is renewed. */
    private static final String LEASE = "5s";

    private final OrderDesk desk;

    FlashSale(OrderDesk desk) {
        this.desk = desk;
    }

    /** Orders, or is refused at once. */
    @OncePerWindow(
            operation = OPERATION,
            scope = "#request.user()",
            key = "#request.sessionId()",
            window = WINDOW,
            lease = LEASE,
            keepOn = {UnknownOutcomeException.class, OutcomeNotRecordedException.class})
    public Order buy(OrderRequest request, HttpServletResponse response) {
        return desk.place(request, response);
    }

    /** Orders when it is its turn, or is refused when it has not been in time. */
    @OncePerWindow(
            operation = OPERATION,
            scope = "#request.user()",
            key = "#request.sessionId()",
            window = WINDOW,
            lease = LEASE,
            whenHeld = WhenHeld.WAIT,
            waitUpTo = "${shop.flash.wait-up-to:10s}",
            keepOn = {UnknownOutcomeException.class, OutcomeNotRecordedException.class})
    public Order buyInTurn(OrderRequest request, HttpServletResponse response) {
        return desk.place(request, response);
    }
}
