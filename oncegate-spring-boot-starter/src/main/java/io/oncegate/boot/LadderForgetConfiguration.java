package io.oncegate.boot;

import io.oncegate.core.LadderForget;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** Forgetting records of the ladder, for operators. After {@link LadderConfiguration}. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBean({FastRecords.class, JdbcRecords.class})
class LadderForgetConfiguration {
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    LadderForget oncegateLadderForget(FastRecords fast, JdbcRecords records) {
        return LadderForget.of(fast.browser(), records.claimed());
    }
}
