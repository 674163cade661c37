package io.oncegate.boot;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A ladder that is asked for and cannot be had: found at the start. After {@link LadderConfiguration}. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "oncegate.ladder.enabled", havingValue = "true")
@ConditionalOnMissingBean(name = "ladderOncegate")
class MissingLadderConfiguration {
    @Bean
    FastRecords oncegateMissingLadder() {
        throw new MissingStoreException("cannot use oncegate.ladder.enabled=true", LadderConfiguration.REMEDY);
    }
}
