package io.oncegate.boot;

import io.oncegate.core.memory.MemoryTokenStore;
import io.oncegate.core.token.TokenStore;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Chooses the store of strict tokens. */
final class TokenStoreChoice {
    private TokenStoreChoice() {}

    /** The store, or null if there is none and none has been asked for. */
    static @Nullable TokenStore choose(TokenStoreKind wanted, StoreKind records, List<TokenStoreSource> sources) {
        TokenStoreKind kind = wanted == TokenStoreKind.AUTO ? likeRecords(records, sources) : wanted;
        if (kind == TokenStoreKind.NONE) {
            return null;
        } else if (kind == TokenStoreKind.MEMORY) {
            return new MemoryTokenStore();
        }
        TokenStoreSource found = of(kind, sources);
        if (found == null) {
            throw new MissingStoreException(
                    "cannot keep strict tokens as oncegate.tokens.store="
                            + kind.name().toLowerCase(Locale.ROOT) + " says",
                    kind == TokenStoreKind.REDIS
                            ? "Add oncegate-redis and Lettuce, and say where Redis is: oncegate.redis.uri"
                            : "Add oncegate-jdbc, and exactly one DataSource: spring.datasource.*");
        }
        return found.store().get();
    }

    private static TokenStoreKind likeRecords(StoreKind records, List<TokenStoreSource> sources) {
        return switch (records) {
            case MEMORY -> TokenStoreKind.MEMORY;
            case REDIS -> TokenStoreKind.REDIS;
            case JDBC -> TokenStoreKind.JDBC;
            case AUTO -> {
                if (of(TokenStoreKind.REDIS, sources) != null) {
                    yield TokenStoreKind.REDIS;
                }
                yield of(TokenStoreKind.JDBC, sources) == null ? TokenStoreKind.NONE : TokenStoreKind.JDBC;
            }
        };
    }

    private static @Nullable TokenStoreSource of(TokenStoreKind kind, List<TokenStoreSource> sources) {
        return sources.stream()
                .filter(source -> source.kind() == kind)
                .findFirst()
                .orElse(null);
    }
}
