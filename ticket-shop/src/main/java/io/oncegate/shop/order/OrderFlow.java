package io.oncegate.shop.order;

import io.oncegate.core.state.StateMachine;
import io.oncegate.shop.catalog.Catalog;

/** The life of an order, declared. */
final class OrderFlow {
    /** Part of every event's identity; stays. */
    static final String NAME = "order";

    private OrderFlow() {}

    /**
     * The machine.
     *
     * <p>A payment that is under way keeps an order from being cancelled: its money may be on the way already. So no payment
     * ever succeeds for an order that has been given up.
     */
    static StateMachine<OrderStatus, OrderEvent> machine(Orders orders, Catalog catalog) {
        return StateMachine.named(NAME, OrderStatus.class, OrderEvent.class)
                .initial(OrderStatus.PENDING_PAYMENT)
                .transition(OrderStatus.PENDING_PAYMENT, OrderEvent.PAY, OrderStatus.PAID)
                .transition(
                        OrderStatus.PENDING_PAYMENT,
                        OrderEvent.CANCEL,
                        OrderStatus.CANCELLED,
                        cancel -> cancel.guard(
                                        "no payment under way", firing -> !orders.isPaying((String) firing.key()))
                                .action(firing -> {
                                    OrderFlow.Seats seats = orders.seats((String) firing.key());
                                    catalog.giveBack(seats.sessionId(), seats.number());
                                }))
                .transition(OrderStatus.PAID, OrderEvent.SHIP, OrderStatus.SHIPPED)
                .transition(OrderStatus.SHIPPED, OrderEvent.COMPLETE, OrderStatus.COMPLETED)
                .end(OrderStatus.COMPLETED, OrderStatus.CANCELLED)
                .build();
    }

    /** The seats of an order. */
    record Seats(long sessionId, int number) {}
}
