package io.oncegate.redis;

import io.lettuce.core.api.async.RedisKeyAsyncCommands;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.lock.LockStore;
import io.oncegate.testkit.LockStoreAbilities;
import io.oncegate.testkit.LockStoreContract;
import io.oncegate.testkit.StoreBackend;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** The contract of lock stores on one kind of Redis. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RedisLockStoreTck extends LockStoreContract {
    /** Longer than a slow machine needs to look at a lock that has ended. */
    private static final Duration MARGIN = Duration.ofMillis(300);

    private static final RedisOptions OPTIONS =
            Handles.OPTIONS.withPrefix("lock-tck").withPurgeMargin(MARGIN);
    private static final LockFormat FORMAT = new LockFormat(OPTIONS.prefix());

    private final Handles handles = new Handles();
    private RedisLockStore store;
    private RedisLockStore twin;
    private RedisBackend looking;

    /** Opens the connections of one more process. */
    abstract RedisBackend connect(Handles with, RedisOptions options);

    @BeforeAll
    void open() {
        store = new RedisLockStore(connect(handles, OPTIONS));
        twin = new RedisLockStore(connect(handles, OPTIONS));
        looking = connect(handles, OPTIONS);
    }

    @AfterAll
    void close() {
        handles.close();
    }

    @Override
    protected LockStore store() {
        return store;
    }

    @Override
    protected LockStore twin() {
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
    protected boolean kept(RecordId id) {
        return entries(looking, FORMAT.lockKey(id)) > 0;
    }

    /** How many keys there are of this lock. */
    static long entries(RedisBackend redis, byte[] lockKey) {
        return redis.call(deadline -> {
            RedisKeyAsyncCommands<byte[], byte[]> commands = redis.link().commands(deadline);
            return deadline.await(commands.exists(lockKey, LockFormat.resultKey(lockKey)));
        });
    }

    @Override
    protected LockStoreAbilities abilities() {
        return new LockStoreAbilities(true, 1024 * 1024, MARGIN, 500, 20);
    }
}
