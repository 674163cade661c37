package io.oncegate.shop.payment;

import java.time.Clock;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionException;

/**
 * Looks for payments that were left open, by a crash or because nobody came back, so that each of them comes to an end. Those
 * that the provider may have forgotten stay open: they are an operator's to look into.
 */
@Component
class PaymentSweep {
    private static final Logger LOG = LoggerFactory.getLogger(PaymentSweep.class);
    private static final int BATCH = 100;

    private final Payments payments;
    private final PaymentService service;
    private final PaymentRules rules;
    private final Clock clock;

    PaymentSweep(Payments payments, PaymentService service, PaymentRules rules, Clock clock) {
        this.payments = payments;
        this.service = service;
        this.rules = rules;
        this.clock = clock;
    }

    @Scheduled(
            initialDelayString = "${shop.payment.sweep-every:5s}",
            fixedDelayString = "${shop.payment.sweep-every:5s}")
    void sweep() {
        try {
            Instant now = clock.instant();
            payments.open(now.minus(rules.retention()), now.minus(rules.sweepAfter()), BATCH)
                    .forEach(service::findOut);
        } catch (DataAccessException | TransactionException e) {
            LOG.debug("Open payments are looked for later", e);
        }
    }
}
