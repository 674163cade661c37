package io.oncegate.shop.order;

import io.oncegate.core.error.MismatchException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.state.Fired;
import io.oncegate.core.state.StateEvent;
import io.oncegate.jdbc.JdbcStateMachine;
import io.oncegate.jdbc.StateTable;
import io.oncegate.shop.catalog.Catalog;
import io.oncegate.spring.state.StateService;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Moves orders from state to state, each event once however often it comes: its id derives from the event, for to one order
 * each happens once. Thread-safe.
 */
@Service
public class OrderLife {
    private static final StateTable TABLE = StateTable.of("orders", "order_no", "status", "version");
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final Orders orders;
    private final StateService<OrderStatus, OrderEvent> machine;

    OrderLife(Orders orders, Catalog catalog, PlatformTransactionManager transactions, DataSource dataSource) {
        this.orders = orders;
        this.machine = StateService.of(
                transactions,
                dataSource,
                source -> JdbcStateMachine.builder(OrderFlow.machine(orders, catalog), TABLE, source)
                        .codes(OrderStatus::code)
                        .timeout(TIMEOUT)
                        .build());
    }

    /**
     * The user's event happens, or has happened before. Joins a transaction of the caller's.
     *
     * @throws UnknownOrderException if the user has no such order
     * @throws IllegalStepException if the order is in a state in which it does not happen; the refusal is in the history
     */
    public Step fire(String user, String orderNo, OrderEvent event) {
        return fire(user, orderNo, StateEvent.of(event, event.word()));
    }

    /**
     * The order is paid by this payment, or was before. Joins a transaction of the caller's.
     *
     * @throws UnknownOrderException if the user has no such order
     * @throws IllegalStepException if the order does not wait for a payment, and was not paid by this one
     */
    public Step paid(String user, String orderNo, String payment) {
        StateEvent<OrderEvent> paid = StateEvent.of(OrderEvent.PAY, OrderEvent.PAY.word())
                .carrying(
                        payment, Fingerprint.builder().text("payment", payment).build());
        try {
            return fire(user, orderNo, paid);
        } catch (MismatchException e) {
            OrderStatus state = orders.find(user, orderNo)
                    .orElseThrow(UnknownOrderException::new)
                    .status();
            throw new IllegalStepException(OrderEvent.PAY, state, allowed(state, false), false);
        }
    }

    private Step fire(String user, String orderNo, StateEvent<OrderEvent> event) {
        Order order = orders.find(user, orderNo).orElseThrow(UnknownOrderException::new);
        Fired<OrderStatus, OrderEvent> fired = machine.fire(orderNo, event);
        if (fired instanceof Fired.Illegal<OrderStatus, OrderEvent> illegal) {
            throw new IllegalStepException(
                    event.event(), illegal.state(), allowed(illegal.state(), illegal.guarded()), illegal.guarded());
        }
        return fired instanceof Fired.AlreadyApplied<OrderStatus, OrderEvent> before
                ? new Step(order.as(before.to()), true)
                : new Step(order.as(((Fired.Applied<OrderStatus, OrderEvent>) fired).to()), false);
    }

    /** What may happen to an order now. A payment that is under way keeps it from being cancelled. */
    public List<OrderEvent> allowed(String orderNo, OrderStatus state) {
        return allowed(state, state == OrderStatus.PENDING_PAYMENT && orders.isPaying(orderNo));
    }

    private List<OrderEvent> allowed(OrderStatus state, boolean paying) {
        Set<OrderEvent> declared = machine.machine().allowed(state);
        return declared.stream()
                .filter(event -> !(paying && event == OrderEvent.CANCEL))
                .toList();
    }
}
