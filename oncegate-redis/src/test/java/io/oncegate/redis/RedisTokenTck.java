package io.oncegate.redis;

import io.lettuce.core.api.async.RedisSortedSetAsyncCommands;
import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.TokenStore;
import io.oncegate.testkit.StoreBackend;
import io.oncegate.testkit.TokenStoreAbilities;
import io.oncegate.testkit.TokenStoreContract;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** The token contract on one kind of Redis. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RedisTokenTck extends TokenStoreContract {
    private static final RedisOptions OPTIONS = Handles.OPTIONS.withPrefix("tokens");

    private final TokenStoreAbilities abilities;
    private final Handles handles = new Handles();
    private RedisTokenStore store;
    private RedisTokenStore twin;
    private RedisBackend looking;

    RedisTokenTck(int races, int manyIssues) {
        this.abilities = new TokenStoreAbilities(races, manyIssues);
    }

    /** Opens one more connection to the Redis. */
    abstract RedisBackend connect(Handles with, RedisOptions options);

    @BeforeAll
    void open() {
        store = new RedisTokenStore(connect(handles, OPTIONS));
        twin = new RedisTokenStore(connect(handles, OPTIONS));
        looking = connect(handles, OPTIONS);
    }

    @AfterAll
    void close() {
        handles.close();
    }

    @Override
    protected TokenStore store() {
        return store;
    }

    @Override
    protected TokenStore twin() {
        return twin;
    }

    @Override
    protected StoreBackend backend() {
        return StoreBackend.withRealClock(() -> looking.call(deadline -> looking.link().nodes(deadline).stream()
                .mapToLong(node -> micros(deadline.await(node.commands().time())))
                .max()
                .orElseThrow()));
    }

    private static long micros(List<byte[]> time) {
        return number(time.get(0)) * 1_000_000 + number(time.get(1));
    }

    private static long number(byte[] digits) {
        return Long.parseLong(new String(digits, StandardCharsets.US_ASCII));
    }

    @Override
    protected long kept(TokenRef token) {
        byte[] unused = store.unusedKey(token);
        return looking.call(deadline -> {
            RedisSortedSetAsyncCommands<byte[], byte[]> redis = looking.link().commands(deadline);
            return deadline.await(redis.zcard(unused)) + deadline.await(redis.zcard(RedisTokenStore.usedKey(unused)));
        });
    }

    @Override
    protected TokenStoreAbilities abilities() {
        return abilities;
    }
}
