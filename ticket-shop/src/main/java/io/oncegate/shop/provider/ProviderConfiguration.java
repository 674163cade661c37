package io.oncegate.shop.provider;

import java.time.Clock;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The provider that the shop brings along, where {@code shop.payment.url} names no other. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnExpression("'${shop.payment.url:}'.isBlank()")
class ProviderConfiguration {
    /** The mood in which it does at random all that a provider may do. */
    private enum Mood {
        RELIABLE,
        MOODY
    }

    @Bean(destroyMethod = "close")
    SimulatedProvider simulatedProvider(
            Clock clock,
            @Value("${shop.provider.mood:reliable}") Mood mood,
            @Value("${shop.provider.seed:1}") long seed,
            @Value("${shop.provider.retention:24h}") Duration retention,
            @Value("${shop.provider.late:5s}") Duration late) {
        return SimulatedProvider.start(retention, late, mood == Mood.MOODY ? seed : null, clock);
    }
}
