package io.oncegate.shop.order;

import io.oncegate.jdbc.InsertFirst;
import io.oncegate.jdbc.Inserted;
import io.oncegate.jdbc.UniqueConstraint;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/** The orders in the database. Thread-safe. */
@Repository
@Transactional
public class Orders {
    /** The most orders that a list shows. */
    static final int LIST_LIMIT = 1000;

    private static final String COLUMNS =
            "SELECT order_no, status, session_id, quantity, amount, created_at FROM orders WHERE user_id = ?";

    private final InsertFirst insert = InsertFirst.into("orders")
            .guard(UniqueConstraint.named("uk_request"), "user_id", "session_id", "request_id")
            .content("quantity")
            .build();

    private final JdbcTemplate plain;
    private final JdbcClient jdbc;

    Orders(JdbcTemplate plain, JdbcClient jdbc) {
        insert.check(Objects.requireNonNull(plain.getDataSource()));
        this.plain = plain;
        this.jdbc = jdbc;
    }

    /**
     * Adds an order, in the caller's transaction, unless this request has one already.
     *
     * @return the order that is there afterwards, as it was when it was placed
     * @throws io.oncegate.core.error.MismatchException if the request has asked for another quantity before
     */
    Inserted<Order> add(Order order, OrderRequest request) {
        Map<String, Object> values = Map.of(
                "order_no", order.orderNo(),
                "user_id", request.user(),
                "session_id", order.sessionId(),
                "request_id", request.requestId(),
                "quantity", order.quantity(),
                "amount", order.amount(),
                "status", OrderStatus.PENDING_PAYMENT.code(),
                "version", 0L,
                "created_at", LocalDateTime.ofInstant(order.createdAt(), ZoneOffset.UTC));
        Inserted<Order> inserted = Objects.requireNonNull(plain.execute((ConnectionCallback<Inserted<Order>>)
                connection -> insert.insert(connection, values, row -> order(row, 1))));
        return new Inserted<>(inserted.row().as(OrderStatus.PENDING_PAYMENT), inserted.first());
    }

    /** The user's orders, newest first, at most {@value #LIST_LIMIT}. */
    public List<Order> of(String user) {
        return jdbc.sql(COLUMNS + " ORDER BY id DESC LIMIT " + LIST_LIMIT)
                .param(user)
                .query(Orders::order)
                .list();
    }

    /** One of the user's orders; nobody else's. */
    public Optional<Order> find(String user, String orderNo) {
        if (!OrderNumbers.isOne(orderNo)) {
            return Optional.empty();
        }
        return jdbc.sql(COLUMNS + " AND order_no = ?")
                .params(user, orderNo)
                .query(Orders::order)
                .optional();
    }

    /** The order that this request has made, if it has. */
    Optional<Order> find(OrderRequest request) {
        return jdbc.sql(COLUMNS + " AND session_id = ? AND request_id = ?")
                .params(request.user(), request.sessionId(), request.requestId())
                .query(Orders::order)
                .optional();
    }

    /**
     * Locks an order that waits for its payment, in the caller's transaction.
     *
     * @return nothing if it does not wait for one
     * @throws UnknownOrderException if the user has no such order
     */
    public Optional<UnpaidOrder> lockUnpaid(String user, String orderNo) {
        if (!OrderNumbers.isOne(orderNo)) {
            throw new UnknownOrderException();
        }
        // The lock comes first, so that what is read after it is no older.
        Optional<UnpaidOrder> order = jdbc.sql("SELECT id, order_no, amount, paying, payments FROM orders"
                        + " WHERE user_id = ? AND order_no = ? AND status = ? FOR UPDATE")
                .params(user, orderNo, OrderStatus.PENDING_PAYMENT.code())
                .query(UnpaidOrder.class)
                .optional();
        if (order.isEmpty() && find(user, orderNo).isEmpty()) {
            throw new UnknownOrderException();
        }
        return order;
    }

    /** A payment begins, in the caller's transaction that has locked the order. */
    public void pays(long id, String payment, int payments) {
        jdbc.sql("UPDATE orders SET paying = ?, payments = ?, version = version + 1 WHERE id = ?")
                .params(payment, payments, id)
                .update();
    }

    /** The payment has come to nothing. */
    public void paysNoMore(String payment) {
        jdbc.sql("UPDATE orders SET paying = NULL, version = version + 1 WHERE order_no = ? AND paying = ?")
                .params(payment.substring(0, payment.lastIndexOf('-')), payment)
                .update();
    }

    /** Whether a payment is under way, as of now: an older snapshot would not do. */
    boolean isPaying(String orderNo) {
        return jdbc.sql("SELECT id FROM orders WHERE order_no = ? AND paying IS NOT NULL FOR UPDATE")
                .param(orderNo)
                .query(Long.class)
                .optional()
                .isPresent();
    }

    OrderFlow.Seats seats(String orderNo) {
        return jdbc.sql("SELECT session_id, quantity AS number FROM orders WHERE order_no = ?")
                .param(orderNo)
                .query(OrderFlow.Seats.class)
                .single();
    }

    private static Order order(ResultSet row, int number) throws SQLException {
        Instant createdAt = row.getObject("created_at", LocalDateTime.class).toInstant(ZoneOffset.UTC);
        return new Order(
                row.getString("order_no"),
                OrderStatus.of(row.getInt("status")),
                row.getLong("session_id"),
                row.getInt("quantity"),
                row.getBigDecimal("amount"),
                createdAt);
    }
}
