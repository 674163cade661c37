package io.oncegate.boot;

import io.oncegate.spring.client.IdempotencyKeys;
import io.oncegate.spring.client.IdempotentRequestInterceptor;
import io.oncegate.spring.client.IdempotentWebClient;
import io.oncegate.spring.client.KeepIdempotencyKeyPostProcessor;
import io.oncegate.spring.client.RetryRules;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/**
 * Lets the application's HTTP clients send keys to the hosts that {@code oncegate.client.hosts} names, and methods with
 * {@code @KeepIdempotencyKey} keep theirs over their retries. It needs no store.
 */
@AutoConfiguration
@EnableConfigurationProperties(OncegateProperties.class)
public final class ClientAutoConfiguration {
    /** Static, for it is a post-processor of other beans. */
    @Bean
    @ConditionalOnMissingBean
    static KeepIdempotencyKeyPostProcessor oncegateKeepIdempotencyKey() {
        return new KeepIdempotencyKeyPostProcessor();
    }

    @Bean
    @ConditionalOnMissingBean
    @Conditional(OnClientHosts.class)
    IdempotencyKeys oncegateClientKeys(OncegateProperties properties) {
        ClientSettings client = properties.client();
        IdempotencyKeys keys = IdempotencyKeys.toHosts(client.hosts().toArray(String[]::new));
        if (!client.methods().isEmpty()) {
            keys = keys.methods(client.methods().toArray(String[]::new));
        }
        return client.header() == null ? keys : keys.header(client.header());
    }

    @Bean
    @ConditionalOnMissingBean
    @Conditional(OnClientHosts.class)
    RetryRules oncegateClientRetry(OncegateProperties properties) {
        ClientSettings.Retry retry = properties.client().retry();
        if (!retry.enabled()) {
            return RetryRules.none();
        }
        RetryRules.Builder rules = RetryRules.builder();
        if (retry.maxAttempts() != null) {
            rules.maxAttempts(retry.maxAttempts());
        }
        if (retry.maxTotalWait() != null) {
            rules.maxTotalWait(retry.maxTotalWait());
        }
        return rules.build();
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RestClientCustomizer.class)
    @Conditional(OnClientHosts.class)
    static class Blocking {
        @Bean
        RestClientCustomizer oncegateRestClientCustomizer(IdempotencyKeys keys, RetryRules rules) {
            return builder -> builder.requestInterceptor(new IdempotentRequestInterceptor(keys, rules));
        }

        @Bean
        RestTemplateCustomizer oncegateRestTemplateCustomizer(IdempotencyKeys keys, RetryRules rules) {
            return template -> template.getInterceptors().add(new IdempotentRequestInterceptor(keys, rules));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(WebClientCustomizer.class)
    @Conditional(OnClientHosts.class)
    static class Reactive {
        @Bean
        WebClientCustomizer oncegateWebClientCustomizer(IdempotencyKeys keys, RetryRules rules) {
            return builder -> new IdempotentWebClient(keys, rules).accept(builder);
        }
    }
}
