package io.oncegate.shop.payment;

import io.oncegate.core.ClaimContext;
import io.oncegate.core.Reconciler.Finding;
import io.oncegate.shop.order.IllegalStepException;
import io.oncegate.shop.order.Order;
import io.oncegate.shop.order.OrderLife;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Asks the provider, and writes down what it says. Called under the claim of the payment, and never inside a transaction: no
 * connection to the database is held while the provider takes its time. Thread-safe.
 */
@Component
class Cashier {
    private static final Logger LOG = LoggerFactory.getLogger(Cashier.class);

    private final ProviderClient provider;
    private final Payments payments;
    private final OrderLife orders;
    private final TransactionTemplate transaction;
    private final PaymentRules rules;
    private final Clock clock;

    Cashier(
            ProviderClient provider,
            Payments payments,
            OrderLife orders,
            TransactionTemplate transaction,
            PaymentRules rules,
            Clock clock) {
        this.provider = provider;
        this.payments = payments;
        this.orders = orders;
        this.transaction = transaction;
        this.rules = rules;
        this.clock = clock;
    }

    /**
     * Takes the money.
     *
     * @return the order, paid
     * @throws CardDeclinedException if the provider declines it
     * @throws PaymentClosedException if this payment has come to nothing meanwhile; nothing was asked for
     * @throws PaymentUnavailableException if the provider was not asked for anything
     * @throws PaymentUnclearException if nobody knows
     */
    Order charge(String key, ClaimContext claim) {
        Payment payment = payments.find(key).orElseThrow();
        if (payment.state() != PaymentState.STARTED) {
            return ended(payment);
        }
        requireRemembered(payment);
        if (!payments.asks(key)) {
            throw new PaymentClosedException();
        }
        if (!claim.live()) {
            throw new PaymentUnavailableException("this request was stopped for too long");
        }
        ProviderAnswer answer = provider.pay(payment);
        if (answer instanceof ProviderAnswer.NotBegun not) {
            giveUp(payment);
            throw new PaymentUnavailableException(not.why());
        }
        return written(payment, answer);
    }

    /**
     * Finds out what became of a payment that was left open, and gives it up if it has not come to be. Never takes money.
     *
     * @throws PaymentClosedException if it has come to nothing
     */
    Order close(String key) {
        Payment payment = payments.find(key).orElseThrow();
        if (payment.state() != PaymentState.STARTED) {
            return ended(payment);
        }
        ProviderAnswer answer = provider.find(payment);
        if (answer instanceof ProviderAnswer.NoneKnown && willNotArrive(payment)) {
            giveUp(payment);
            throw new PaymentClosedException();
        }
        return written(payment, answer);
    }

    /** Finds out what became of a payment of which nobody knew. */
    Finding<Order> find(String key) {
        Payment payment = payments.find(key).orElseThrow();
        if (payment.state() == PaymentState.TAKEN) {
            return new Finding.Done<>(ended(payment));
        }
        ProviderAnswer answer = provider.find(payment);
        if (answer instanceof ProviderAnswer.Taken taken) {
            return new Finding.Done<>(take(payment, taken.reference()));
        } else if (answer instanceof ProviderAnswer.Declined) {
            payments.ended(key, PaymentState.DECLINED);
            return new Finding.NotDone<>();
        } else if (answer instanceof ProviderAnswer.NoneKnown && willNotArrive(payment)) {
            return new Finding.NotDone<>();
        }
        return new Finding.StillUnknown<>();
    }

    /** What is known of a payment that is not open any more. */
    private Order ended(Payment payment) {
        if (payment.state() == PaymentState.TAKEN) {
            return orders.paid(payment.user(), payment.orderNo(), payment.key()).order();
        } else if (payment.state() == PaymentState.DECLINED) {
            throw new CardDeclinedException();
        }
        throw new PaymentClosedException();
    }

    /** The provider forgets, and would take the money a second time. An hour or a tenth less, for clocks that differ. */
    private void requireRemembered(Payment payment) {
        Duration margin = rules.retention().dividedBy(10);
        Duration hour = Duration.ofHours(1);
        Duration remembers = rules.retention().minus(margin.compareTo(hour) < 0 ? margin : hour);
        if (clock.instant().isAfter(payment.createdAt().plus(remembers))) {
            throw new PaymentUnclearException("the provider may have forgotten it, so it is not sent again", null);
        }
    }

    private boolean willNotArrive(Payment payment) {
        return clock.instant().isAfter(payment.askedAt().plus(rules.arrivesWithin()))
                && clock.instant().isBefore(payment.createdAt().plus(rules.retention()));
    }

    private Order written(Payment payment, ProviderAnswer answer) {
        if (answer instanceof ProviderAnswer.Unclear unclear) {
            throw new PaymentUnclearException(unclear.why(), null);
        } else if (answer instanceof ProviderAnswer.Taken taken) {
            return take(payment, taken.reference());
        } else if (answer instanceof ProviderAnswer.Declined) {
            try {
                payments.ended(payment.key(), PaymentState.DECLINED);
            } catch (RuntimeException e) {
                throw new PaymentUnclearException("the card was declined, and that could not be written down", e);
            }
            throw new CardDeclinedException();
        }
        throw new PaymentUnclearException("the provider has not heard of it yet", null);
    }

    /** Payment and order say so together. */
    private Order take(Payment payment, String reference) {
        try {
            return Objects.requireNonNull(transaction.execute(status -> {
                payments.taken(payment.key(), reference);
                return orders.paid(payment.user(), payment.orderNo(), payment.key())
                        .order();
            }));
        } catch (IllegalStepException e) {
            // The provider has broken its word on when requests arrive. The money is not lost: the row says that it is
            // there.
            payments.taken(payment.key(), reference);
            LOG.error(
                    "Money was taken by the payment {} of an order that is {}: give it back", payment.key(), e.state());
            throw e;
        } catch (RuntimeException e) {
            throw new PaymentUnclearException("the money was taken, and that could not be written down", e);
        }
    }

    private void giveUp(Payment payment) {
        try {
            payments.ended(payment.key(), PaymentState.GIVEN_UP);
        } catch (RuntimeException e) {
            LOG.debug("A payment that came to nothing stays open until it is looked for", e);
        }
    }
}
