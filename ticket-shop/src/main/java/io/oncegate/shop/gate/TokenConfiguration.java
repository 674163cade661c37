package io.oncegate.shop.gate;

import io.oncegate.core.token.OnceTokens;
import io.oncegate.core.token.TokenSecret;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisTokenStore;
import io.oncegate.spring.mvc.ScopeResolver;
import io.oncegate.spring.token.TokenController;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** One-time tokens: who signs them, and {@code POST /api/tokens}. Strict ones are kept in the shop's Redis. */
@Configuration(proxyBeanMethods = false)
class TokenConfiguration {
    /** The purpose of tokens for {@code POST /api/orders}; anybody may ask for them. */
    static final String ORDER_CREATE = "order.create";

    /** The purpose of tokens for the page's form; the page alone issues them. */
    static final String ORDER_FORM = "order.form";

    private static final Logger LOG = LoggerFactory.getLogger(TokenConfiguration.class);

    @Bean
    OnceTokens onceTokens(
            RedisBackend redis,
            @Value("${shop.tokens.secret:}") String secret,
            @Value("${shop.tokens.ttl:#{null}}") Duration ttl) {
        OnceTokens.Builder tokens = OnceTokens.signedWith(TokenSecret.of(1, bytes(secret)))
                .store(new RedisTokenStore(redis))
                // What failed has been rolled back by the judge, so a strict token may try again.
                .giveBackOnFailure(ORDER_CREATE);
        return (ttl == null ? tokens : tokens.ttl(ttl)).build();
    }

    private static byte[] bytes(String secret) {
        if (!secret.isBlank()) {
            return secret.getBytes(StandardCharsets.UTF_8);
        }
        LOG.info("One-time tokens are signed with a secret made at this start, and end with this process;"
                + " set shop.tokens.secret to 32 random characters or more to keep them over a restart");
        byte[] made = new byte[TokenSecret.MIN_BYTES];
        new SecureRandom().nextBytes(made);
        return made;
    }

    @Bean
    TokenController tokenController(OnceTokens tokens) {
        return new TokenController(
                tokens, ScopeResolver.principal(), List.of(ORDER_CREATE), 401, RedisConfiguration.RETRY_AFTER);
    }

    @Bean
    FormTokens formTokens(OnceTokens tokens) {
        return new FormTokens(tokens, ORDER_FORM);
    }
}
