package io.oncegate.boot;

import io.lettuce.core.RedisClient;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.core.token.TokenStore;
import io.oncegate.core.token.WhenFull;
import io.oncegate.jdbc.JdbcTokenStore;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisTokenStore;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;

/**
 * One-time tokens, where {@code oncegate.tokens.secret} is set. Strict ones are kept by the application's {@link TokenStore}
 * bean, else in Redis, the database or memory. An {@link OnceTokens} bean of the application comes first.
 */
@AutoConfiguration(after = OncegateAutoConfiguration.class)
@ConditionalOnProperty(name = "oncegate.tokens.enabled", matchIfMissing = true)
@Import({TokenAutoConfiguration.Redis.class, TokenAutoConfiguration.Jdbc.class})
public final class TokenAutoConfiguration {
    @Bean
    @Conditional(TokenConditions.Wanted.class)
    @ConditionalOnMissingBean
    OnceTokens onceTokens(
            OncegateProperties properties, ObjectProvider<TokenStore> own, ObjectProvider<TokenStoreSource> sources) {
        TokenSettings settings = properties.tokens();
        OnceTokens.Builder tokens = OnceTokens.signedWith(settings.signing());
        settings.accepted().forEach(tokens::accepting);
        TokenStore store = own.getIfAvailable();
        if (store == null) {
            store = TokenStoreChoice.choose(
                    settings.store(), properties.store(), sources.stream().toList());
        }
        if (store != null) {
            tokens.store(store);
        }
        if (settings.ttl() != null) {
            tokens.ttl(settings.ttl());
        }
        if (settings.cap() != null || settings.whenFull() != null) {
            tokens.cap(
                    settings.cap() == null ? OnceTokens.DEFAULT_CAP : settings.cap(),
                    settings.whenFull() == null ? WhenFull.DROP_OLDEST : settings.whenFull());
        }
        if (!settings.giveBack().isEmpty()) {
            tokens.giveBackOnFailure(settings.giveBack().toArray(String[]::new));
        }
        return tokens.build();
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({RedisBackend.class, RedisClient.class})
    static class Redis {
        @Bean
        @ConditionalOnBean(RedisBackend.class)
        TokenStoreSource oncegateRedisTokens(RedisBackend backend) {
            return new TokenStoreSource(TokenStoreKind.REDIS, () -> new RedisTokenStore(backend));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({JdbcTokenStore.class, DataSource.class})
    @ConditionalOnSingleCandidate(DataSource.class)
    static class Jdbc {
        /** Not made, and so not checked, before somebody wants it. */
        @Bean
        @Lazy
        @DependsOnDatabaseInitialization
        JdbcTokens oncegateJdbcTokens(DataSource source, OncegateProperties properties) {
            return new JdbcTokens(source, properties.jdbc(), properties.purge());
        }

        @Bean
        TokenStoreSource oncegateJdbcTokenSource(ObjectProvider<JdbcTokens> tokens) {
            return new TokenStoreSource(
                    TokenStoreKind.JDBC, () -> tokens.getObject().store());
        }
    }
}
