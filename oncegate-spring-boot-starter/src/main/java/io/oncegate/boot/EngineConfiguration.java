package io.oncegate.boot;

import io.oncegate.core.OnceListener;
import io.oncegate.core.Oncegate;
import io.oncegate.core.OncegateBuilder;
import io.oncegate.core.codec.BasicCodec;
import io.oncegate.core.codec.ResultCodec;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.TransactionalRecordStore;
import io.oncegate.jackson.JacksonCodec;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The engines: one for claimed operations, and one for those whose record commits with their effect. */
@Configuration(proxyBeanMethods = false)
@Import({EngineConfiguration.JsonCodec.class, EngineConfiguration.PlainCodec.class})
class EngineConfiguration {
    @Bean
    @ConditionalOnMissingBean
    RecordStore oncegateRecordStore(OncegateProperties properties, ObjectProvider<StoreSource> sources) {
        return StoreChoice.choose(properties.store(), sources.stream().toList());
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean(name = "claimedOncegate")
    Oncegate claimedOncegate(
            RecordStore store,
            ResultCodec codec,
            ObjectProvider<OnceListener> listeners,
            OncegateProperties properties) {
        return built(Oncegate.claimed(store), codec, listeners, properties);
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnBean(TransactionalRecordStore.class)
    @ConditionalOnMissingBean(name = "sameTransactionOncegate")
    Oncegate sameTransactionOncegate(
            TransactionalRecordStore store,
            ResultCodec codec,
            ObjectProvider<OnceListener> listeners,
            OncegateProperties properties) {
        return built(Oncegate.sameTransaction(store), codec, listeners, properties);
    }

    static Oncegate built(
            OncegateBuilder builder,
            ResultCodec codec,
            ObjectProvider<OnceListener> listeners,
            OncegateProperties properties) {
        builder.codec(codec).listener(new StoreDownLog());
        listeners.orderedStream().forEach(builder::listener);
        if (properties.settleFor() != null) {
            builder.settleFor(properties.settleFor());
        }
        if (properties.asyncThreads() != null) {
            builder.asyncThreads(properties.asyncThreads());
        }
        return builder.build();
    }

    /** Results as JSON, by a mapper of our own: what the application sets for its web layer must not change records. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = {"io.oncegate.jackson.JacksonCodec", "tools.jackson.databind.json.JsonMapper"})
    static class JsonCodec {
        @Bean
        @ConditionalOnMissingBean(ResultCodec.class)
        ResultCodec oncegateResultCodec() {
            return new JacksonCodec();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("io.oncegate.jackson.JacksonCodec")
    static class PlainCodec {
        @Bean
        @ConditionalOnMissingBean(ResultCodec.class)
        ResultCodec oncegateResultCodec() {
            return new BasicCodec();
        }
    }
}
