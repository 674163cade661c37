package io.oncegate.shop.provider;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The provider's books: what it knows of each key, for its own retention, and the money it has taken, for good. A key that it
 * has forgotten is a new one to it. Thread-safe.
 */
final class Ledger {
    private final Map<String, Payment> payments = new HashMap<>();
    private final List<Charge> charges = new ArrayList<>();
    private final Duration retention;
    private final InstantSource clock;

    Ledger(Duration retention, InstantSource clock) {
        this.retention = retention;
        this.clock = clock;
    }

    /** Where a payment stands. */
    enum State {
        PROCESSING,
        CAPTURED,
        DECLINED
    }

    /** What was asked for under a key, and what came of it. */
    record Payment(
            String key,
            String order,
            BigDecimal amount,
            State state,
            @Nullable String reference,
            Instant at) {
        boolean asksForTheSame(String otherOrder, BigDecimal otherAmount) {
            return order.equals(otherOrder) && amount.compareTo(otherAmount) == 0;
        }

        private Payment as(State now, @Nullable String number) {
            return new Payment(key, order, amount, now, number, at);
        }
    }

    synchronized @Nullable Payment find(String key) {
        Payment known = payments.get(key);
        if (known != null
                && known.state() != State.PROCESSING
                && known.at().plus(retention).isBefore(clock.instant())) {
            payments.remove(key);
            return null;
        }
        return known;
    }

    /** Opens a payment, unless there is one. Returns what there was. */
    synchronized @Nullable Payment open(String key, String order, BigDecimal amount) {
        Payment known = find(key);
        if (known == null) {
            payments.put(key, new Payment(key, order, amount, State.PROCESSING, null, clock.instant()));
        }
        return known;
    }

    synchronized Payment capture(String key) {
        Payment open = open(key);
        String reference = "R-" + (100_000 + charges.size());
        charges.add(new Charge(key, open.order(), open.amount(), reference));
        return close(open.as(State.CAPTURED, reference));
    }

    synchronized Payment decline(String key) {
        return close(open(key).as(State.DECLINED, null));
    }

    /** As if it had never been asked for. */
    synchronized void drop(String key) {
        payments.remove(key);
    }

    synchronized List<Charge> charges() {
        return List.copyOf(charges);
    }

    private Payment open(String key) {
        Payment open = payments.get(key);
        if (open == null || open.state() != State.PROCESSING) {
            throw new IllegalStateException("no open payment under this key");
        }
        return open;
    }

    private Payment close(Payment payment) {
        payments.put(payment.key(), payment);
        return payment;
    }
}
