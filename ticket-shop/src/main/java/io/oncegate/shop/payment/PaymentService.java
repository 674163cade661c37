package io.oncegate.shop.payment;

import io.oncegate.core.Call;
import io.oncegate.core.FailureKind;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.ReconcilePolicy;
import io.oncegate.core.Work;
import io.oncegate.core.error.OncegateException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.shop.order.IllegalStepException;
import io.oncegate.shop.order.Order;
import io.oncegate.shop.order.OrderLife;
import io.oncegate.shop.order.Step;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.TransactionException;

/**
 * Pays orders, each once. A row of ours is written first, and its number is the operation's key and the provider's: however
 * often, and by whatever way, a payment is asked for, it is the same one until it has come to an end. Thread-safe.
 *
 * <p><em>Claimed</em> mode, on the shop's own database, and not the same transaction: the provider may take seconds, and no
 * connection and no row lock is held meanwhile. What a crash between its answer and our commit leaves open is found out by
 * asking the provider, never by sending again without asking.
 */
@Service
public class PaymentService {
    private static final Logger LOG = LoggerFactory.getLogger(PaymentService.class);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
    private static final int MOST_PAYMENTS_AT_ONCE = 3;

    private final Operation<Order> operation;
    private final Oncegate claims;
    private final Payments payments;
    private final Cashier cashier;
    private final OrderLife orders;

    PaymentService(
            @Qualifier("paymentClaims") Oncegate claims,
            Payments payments,
            Cashier cashier,
            OrderLife orders,
            PaymentRules rules) {
        this.claims = claims;
        this.payments = payments;
        this.cashier = cashier;
        this.orders = orders;
        this.operation = Operation.named("order.pay")
                .returning(Order.class)
                .lease(rules.lease())
                .waitUpTo(Duration.ofSeconds(5))
                .refusal("card-declined", CardDeclinedException.class, CardDeclinedException::new)
                .failures(failure -> failure instanceof PaymentUnclearException
                        ? FailureKind.NOBODY_KNOWS
                        : FailureKind.NOTHING_HAPPENED)
                .reconciler(
                        (key, claim) -> cashier.find(key.value()),
                        ReconcilePolicy.DEFAULT
                                .pauses(rules.askAgainAfter(), LONGEST_PAUSE)
                                .peerRetention(rules.retention()))
                .build();
        claims.check(operation);
    }

    /**
     * Pays the order, or answers as it was answered when it was paid. Not to be called inside a transaction.
     *
     * @return executed, replayed, or another outcome that is the caller's to answer
     * @throws io.oncegate.shop.order.UnknownOrderException if the user has no such order
     * @throws IllegalStepException if the order cannot be paid any more
     * @throws PaymentUnavailableException if the provider does not work at the moment; nothing was taken
     */
    public Outcome<Order> pay(String user, String orderNo) {
        for (int tries = 1; ; tries++) {
            Optional<Payment> open = payments.begin(user, orderNo);
            if (open.isEmpty()) {
                return paidBefore(user, orderNo);
            }
            String key = open.get().key();
            try {
                return claims.run(call(user, key), claim -> cashier.charge(key, claim));
            } catch (PaymentClosedException e) {
                if (tries == MOST_PAYMENTS_AT_ONCE) {
                    throw new PaymentUnavailableException("payments of this order were closed again and again");
                }
            }
        }
    }

    private Outcome<Order> paidBefore(String user, String orderNo) {
        String payment = payments.of(user, orderNo).stream()
                .filter(one -> one.state() == PaymentState.TAKEN)
                .map(Payment::key)
                .findFirst()
                .orElse("none");
        Step step = orders.paid(user, orderNo, payment);
        return step.repeated() ? new Outcome.Replayed<>(step.order()) : new Outcome.Executed<>(step.order());
    }

    /** Finds out about a payment that was left open, for instance by a crash. */
    void findOut(Payment payment) {
        Work<Order, RuntimeException> close = claim -> cashier.close(payment.key());
        try {
            claims.run(call(payment.user(), payment.key()), close);
        } catch (PaymentClosedException closed) {
            LOG.debug("A payment that was left open has come to nothing");
        } catch (IllegalStepException | OncegateException | DataAccessException | TransactionException e) {
            LOG.warn("A payment that was left open stays so for now: {}", e.getMessage());
        }
    }

    private Call<Order> call(String user, String payment) {
        return operation.call(Scope.of(user), payment, Fingerprint.none());
    }
}
