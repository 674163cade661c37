package io.oncegate.shop.order;

import io.oncegate.core.Call;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.codec.TypeRef;
import io.oncegate.core.error.MismatchException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.jdbc.Inserted;
import io.oncegate.shop.catalog.Catalog;
import io.oncegate.shop.catalog.ConcertSession;
import io.oncegate.shop.catalog.UnknownSessionException;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Service;

/**
 * Sells seats, each request once: the record of the request, the seats taken and the order commit together. Redis, before it
 * and on the ladder's first rung, may lose everything it knows, or be away; the answer stays the same.
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
        ladder.check(CREATE);
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
        AtomicBoolean wasThere = new AtomicBoolean();
        try {
            Outcome<Order> outcome = ladder.run(call, claim -> {
                Inserted<Order> sold = sell(request);
                wasThere.set(!sold.first());
                return sold.row();
            });
            if (!(outcome instanceof Outcome.Executed) || !wasThere.get()) {
                return outcome;
            }
            // The record had gone (its retention is over), the order had not: uk_request has the last word.
            LOG.warn("{} had no record any more, and its order was there already", call.key());
            return new Outcome.Replayed<>(outcome.orElseThrow());
        } catch (MismatchException e) {
            return new Outcome.Mismatch<>(call.key(), e.parts());
        }
    }

    /** Seats first, then the order, so that all who want the same seats stand in one line. */
    private Inserted<Order> sell(OrderRequest request) {
        ConcertSession session =
                catalog.find(request.sessionId()).orElseThrow(() -> new UnknownSessionException(request.sessionId()));
        boolean taken = catalog.take(session.id(), request.quantity());
        if (!taken && orders.find(request).isEmpty()) {
            throw new SoldOutException(session.id(), request.quantity());
        }
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        Inserted<Order> sold = orders.add(
                new Order(
                        numbers.next(now),
                        OrderStatus.PENDING_PAYMENT,
                        session.id(),
                        request.quantity(),
                        session.price().multiply(BigDecimal.valueOf(request.quantity())),
                        now),
                request);
        if (taken && !sold.first()) {
            catalog.giveBack(session.id(), request.quantity());
        }
        return sold;
    }
}
