package io.oncegate.shop.payment;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What the shop knows of its payment provider.
 *
 * @param timeout how long an answer is waited for
 * @param arrivesWithin after this time a request that the provider does not know will not arrive any more
 * @param retention how long the provider knows a key; afterwards the same request would take the money again
 * @param lease how long the payment of a process that has died is left alone before the provider is asked about it; a living one
 *     renews it
 * @param askAgainAfter the first pause before it is asked again what became of a payment; it doubles each time, up to 5 minutes
 * @param sweepAfter how old an open payment is when it is looked for although nobody asks
 */
@ConfigurationProperties("shop.payment")
record PaymentRules(
        @DefaultValue("2s") Duration timeout,
        @DefaultValue("10s") Duration arrivesWithin,
        @DefaultValue("24h") Duration retention,
        @DefaultValue("15s") Duration lease,
        @DefaultValue("1s") Duration askAgainAfter,
        @DefaultValue("30s") Duration sweepAfter) {
    PaymentRules {
        if (arrivesWithin.compareTo(timeout) < 0 || retention.compareTo(arrivesWithin.multipliedBy(2)) < 0) {
            throw new IllegalArgumentException("shop.payment: arrives-within (" + arrivesWithin
                    + ") is not shorter than timeout (" + timeout + "), and retention (" + retention
                    + ") is twice as long or longer; correct the three");
        }
    }
}
