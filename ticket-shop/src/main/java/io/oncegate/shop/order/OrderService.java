package io.oncegate.shop.order;

import io.oncegate.core.Call;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.codec.TypeRef;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.shop.catalog.Catalog;
import io.oncegate.shop.catalog.ConcertSession;
import io.oncegate.shop.catalog.UnknownSessionException;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;

/**
 * Sells seats, each request once: the record of the request, the seats taken and the order commit together. What stands
 * before it (the HTTP gate on Redis) may lose everything it knows; the answer stays the same.
 */
@Service
public class OrderService {
    /** The operation; its name is part of every key, and stays. */
    static final Operation<Order> CREATE = Operation.named("order.create")
            .returning(Order.class)
            .waitUpTo(Duration.ofSeconds(5))
            .refusal(
                    "sold-out",
                    SoldOutException.class,
                    TypeRef.of(SoldOutException.Kept.class),
                    SoldOutException::kept,
                    SoldOutException::again)
            .build();

    private static final Logger LOG = LoggerFactory.getLogger(OrderService.class);

    private final Oncegate ladder;
    private final Catalog catalog;
    private final Orders orders;
    private final Clock clock;
    private final OrderNumbers numbers = new OrderNumbers();

    OrderService(@Qualifier("ladder") Oncegate ladder, Catalog catalog, Orders orders, Clock clock) {
        this.ladder = ladder;
        this.catalog = catalog;
        this.orders = orders;
        this.clock = clock;
    }

    /**
     * Places the order, or answers as the first time. Not to be called inside a transaction: a rollback of that one would
     * take a kept refusal with it.
     *
     * @return executed, replayed, or another outcome that is the caller's to answer
     * @throws UnknownSessionException if there is no such session; nothing is kept
     */
    public Outcome<Order> place(OrderRequest request) {
        Call<Order> call = CREATE.call(
                Scope.of(request.user()),
                request.requestId(),
                Fingerprint.builder()
                        .text("sessionId", Long.toString(request.sessionId()))
                        .text("quantity", Integer.toString(request.quantity()))
                        .build());
        try {
            return ladder.run(call, claim -> sell(request));
        } catch (DuplicateKeyException e) {
            return earlier(call, request, e);
        }
    }

    private Order sell(OrderRequest request) {
        ConcertSession session =
                catalog.find(request.sessionId()).orElseThrow(() -> new UnknownSessionException(request.sessionId()));
        if (!catalog.take(session.id(), request.quantity())) {
            throw new SoldOutException(session.id(), request.quantity());
        }
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        Order order = new Order(
                numbers.next(now),
                OrderStatus.PENDING_PAYMENT,
                session.id(),
                request.quantity(),
                session.price().multiply(BigDecimal.valueOf(request.quantity())),
                now);
        orders.add(order, request);
        return order;
    }

    /** The record has gone (its retention is over), the order has not: {@code uk_request} has the last word. */
    private Outcome<Order> earlier(Call<Order> call, OrderRequest request, DuplicateKeyException cause) {
        Order order = orders.find(request).orElseThrow(() -> cause);
        if (order.quantity() != request.quantity()) {
            return new Outcome.Mismatch<>(call.key(), List.of("quantity"));
        }
        LOG.warn("{} had no record any more, and its order {} was there already", call.key(), order.orderNo());
        return new Outcome.Replayed<>(order);
    }
}
