package io.oncegate.shop.order;

import java.util.List;

/** The order is in a state in which this does not happen to it. */
public final class IllegalStepException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final OrderStatus state;
    private final transient List<OrderEvent> allowed;

    /**
     * Creates the exception.
     *
     * @param paying whether a payment that is under way stands in the way
     */
    IllegalStepException(OrderEvent event, OrderStatus state, List<OrderEvent> allowed, boolean paying) {
        super(
                paying
                        ? "A payment of this order is under way, so it is not cancelled. GET the order in a moment: it is paid"
                                + " then, or may be cancelled."
                        : "An order that is " + state + " does not take the event " + event.word()
                                + "; nothing has been done. GET the order, and see allowedEvents for what may happen to it.");
        this.state = state;
        this.allowed = allowed;
    }

    /** Where the order stands. */
    public OrderStatus state() {
        return state;
    }

    /** What may happen to it now. */
    public List<OrderEvent> allowed() {
        return allowed;
    }
}
