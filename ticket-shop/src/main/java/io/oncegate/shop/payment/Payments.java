package io.oncegate.shop.payment;

import io.oncegate.shop.order.Orders;
import io.oncegate.shop.order.UnpaidOrder;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/** The payments in the database, each step of theirs a short transaction. Thread-safe. */
@Repository
@Transactional
public class Payments {
    private static final String SELECT = "SELECT p.payment_key, o.user_id, o.order_no, p.attempt, p.amount, p.state,"
            + " p.reference, p.created_at, p.asked_at FROM payment p JOIN orders o ON o.id = p.order_id WHERE ";

    private final JdbcClient jdbc;
    private final Orders orders;
    private final Clock clock;

    Payments(JdbcClient jdbc, Orders orders, Clock clock) {
        this.jdbc = jdbc;
        this.orders = orders;
        this.clock = clock;
    }

    /**
     * The payment that is under way for this order, begun now if there is none. From here on the order is not cancelled,
     * until the payment has come to nothing.
     *
     * @return nothing if the order does not wait for a payment
     * @throws io.oncegate.shop.order.UnknownOrderException if the user has no such order
     */
    Optional<Payment> begin(String user, String orderNo) {
        UnpaidOrder order = orders.lockUnpaid(user, orderNo).orElse(null);
        if (order == null) {
            return Optional.empty();
        }
        String paying = order.paying();
        return Optional.of(paying == null ? add(user, order) : find(paying).orElseThrow());
    }

    private Payment add(String user, UnpaidOrder order) {
        int attempt = order.payments() + 1;
        String key = order.orderNo() + "-" + attempt;
        Instant now = now();
        orders.pays(order.id(), key, attempt);
        jdbc.sql("INSERT INTO payment (payment_key, order_id, attempt, amount, state, created_at, asked_at)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?)")
                .params(key, order.id(), attempt, order.amount(), PaymentState.STARTED.code(), utc(now), utc(now))
                .update();
        return new Payment(key, user, order.orderNo(), attempt, order.amount(), PaymentState.STARTED, null, now, now);
    }

    /** Notes that the provider is about to be asked for the money. Returns whether the payment is still open. */
    boolean asks(String key) {
        return jdbc.sql("UPDATE payment SET asked_at = ? WHERE payment_key = ? AND state = ?")
                        .params(utc(now()), key, PaymentState.STARTED.code())
                        .update()
                == 1;
    }

    /** The money has been taken, which is true from now on whatever was believed before. */
    void taken(String key, String reference) {
        jdbc.sql("UPDATE payment SET state = ?, reference = ? WHERE payment_key = ?")
                .params(PaymentState.TAKEN.code(), reference, key)
                .update();
    }

    /** Ends an open payment without money; the order waits for another one, or may be cancelled. */
    void ended(String key, PaymentState how) {
        int rows = jdbc.sql("UPDATE payment SET state = ? WHERE payment_key = ? AND state = ?")
                .params(how.code(), key, PaymentState.STARTED.code())
                .update();
        if (rows == 1) {
            orders.paysNoMore(key);
        }
    }

    Optional<Payment> find(String key) {
        return jdbc.sql(SELECT + "p.payment_key = ?")
                .param(key)
                .query(Payments::payment)
                .optional();
    }

    /** All payments of the user's order, the first one first. */
    public List<Payment> of(String user, String orderNo) {
        return jdbc.sql(SELECT + "o.user_id = ? AND o.order_no = ? ORDER BY p.attempt")
                .params(user, orderNo)
                .query(Payments::payment)
                .list();
    }

    /** Open payments that were begun after one time and last asked for before the other, the oldest first. */
    List<Payment> open(Instant createdAfter, Instant askedBefore, int limit) {
        return jdbc.sql(SELECT + "p.state = ? AND p.created_at > ? AND p.asked_at < ? ORDER BY p.created_at LIMIT "
                        + limit)
                .params(PaymentState.STARTED.code(), utc(createdAfter), utc(askedBefore))
                .query(Payments::payment)
                .list();
    }

    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }

    private static LocalDateTime utc(Instant time) {
        return LocalDateTime.ofInstant(time, ZoneOffset.UTC);
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC);
    }

    private static Payment payment(ResultSet row, int number) throws SQLException {
        @Nullable String reference = row.getString("reference");
        return new Payment(
                row.getString("payment_key"),
                row.getString("user_id"),
                row.getString("order_no"),
                row.getInt("attempt"),
                row.getBigDecimal("amount"),
                PaymentState.of(row.getInt("state")),
                reference,
                instant(row, "created_at"),
                instant(row, "asked_at"));
    }
}
