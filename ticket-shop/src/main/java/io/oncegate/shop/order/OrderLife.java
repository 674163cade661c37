package io.oncegate.shop.order;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.state.Fired;
import io.oncegate.core.state.StateEvent;
import io.oncegate.shop.catalog.Catalog;
import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Service;

/**
 * Moves orders from state to state, each event once however often it comes: its id derives from the event, for to one order
 * each happens once. Thread-safe.
 */
@Service
public class OrderLife {
    private final Orders orders;

    /**
     * The user's event happens, has happened before, or is refused. Joins a transaction of the caller's.
     *
     * @throws UnknownOrderException if the user has no such order
     * @throws IllegalStepException if the order is in a state in which it does not happen; the refusal is in the history
     */
    public Step fire(String user, String orderNo, OrderEvent event) {
        return fire(user, orderNo, StateEvent.of(event, event.word()));
    }

    /**
     * The order is paid. Another payment than the one by which it was paid is a conflict, and no repetition.
     *
     * @throws UnknownOrderException if the user has no such order
     * @throws IllegalStepException if the order does not wait for a payment
     */
    public Step paid(String user, String orderNo, String payment) {
        StateEvent<OrderEvent> paid = StateEvent.of(OrderEvent.PAY, OrderEvent.PAY.word());
        return fire(
                user,
                orderNo,
                paid.carrying(
                        payment,
                        Fingerprint.builder().text("payment", payment).build()));
    }

    /** What may happen to an order now. A payment that is under way keeps it from being cancelled. */
    public List<OrderEvent> allowed(String orderNo, OrderStatus state) {
        boolean paying = state == OrderStatus.PENDING_PAYMENT && orders.isPaying(orderNo);
        return allowed(state, paying);
    }
}
