package io.oncegate.shop.web;

import io.oncegate.shop.order.Order;
import io.oncegate.shop.order.OrderRequest;
import io.oncegate.spring.http.KeySource;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.security.Principal;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import org.springframework.stereotype.Component;

/** Where API and page buy in the flash sale. Only so many requests wait at a time, so that others find threads left. */
@Component
class FlashDesk {
    private static final int MOST_WAITING = 50;
    private static final String WAIT = "wait";

    private final Semaphore places = new Semaphore(MOST_WAITING);
    private final FlashSale sale;

    FlashDesk(FlashSale sale) {
        this.sale = sale;
    }

    Order buy(Principal user, long sessionId, int quantity, HttpServletRequest asked, HttpServletResponse response) {
        boolean waits = waits(asked);
        OrderRequest request = new OrderRequest(user.getName(), requestId(asked), sessionId, quantity);
        if (!waits || !places.tryAcquire()) {
            return sale.buy(request, response);
        }
        try {
            return sale.buyInTurn(request, response);
        } finally {
            places.release();
        }
    }

    /** The request's own key if it has one; without it each request is another wish. */
    private static String requestId(HttpServletRequest asked) {
        return asked.getAttribute(KeySource.ATTRIBUTE) instanceof String key ? key : "flash-" + UUID.randomUUID();
    }

    private static boolean waits(HttpServletRequest asked) {
        String[] values = asked.getParameterValues(WAIT);
        if (values == null || (values.length == 1 && values[0].equals("false"))) {
            return false;
        }
        if (values.length == 1 && values[0].equals("true")) {
            return true;
        }
        throw new BadOrderException("Say wait=true to wait for your turn, or wait=false, once, or leave it out.");
    }
}
