package io.oncegate.shop.payment;

import io.oncegate.core.Oncegate;
import io.oncegate.jackson.JacksonCodec;
import io.oncegate.jdbc.JdbcRecordStore;
import io.oncegate.shop.provider.SimulatedProvider;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Whom the shop pays through: the provider that {@code shop.payment.url} names, else the one that it brings along. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(PaymentRules.class)
class PaymentConfiguration {
    @Bean
    ProviderClient providerClient(
            @Value("${shop.payment.url:}") String url, ObjectProvider<SimulatedProvider> own, PaymentRules rules) {
        String address = url.isBlank() ? own.getObject().url().toString() : url;
        return new ProviderClient(address, rules.timeout());
    }

    /** Claims of payments in the shop's own database: they outlive Redis, and no transaction is open while one is held. */
    @Bean(destroyMethod = "close")
    Oncegate paymentClaims(JdbcRecordStore recordTable) {
        return Oncegate.claimed(recordTable)
                .codec(new JacksonCodec())
                .settleFor(Duration.ofSeconds(1))
                .build();
    }
}
