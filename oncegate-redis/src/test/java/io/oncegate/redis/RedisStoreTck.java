package io.oncegate.redis;

import io.oncegate.core.spi.RecordStore;
import io.oncegate.testkit.RecordStoreContract;
import io.oncegate.testkit.StoreAbilities;
import io.oncegate.testkit.StoreBackend;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** The store contract on one kind of Redis. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RedisStoreTck extends RecordStoreContract {
    private static final Duration MARGIN = Duration.ofMillis(20);
    private static final RedisOptions OPTIONS =
            Handles.OPTIONS.withPrefix("tck").withPurgeMargin(MARGIN);

    private final Handles handles = new Handles();
    private RedisRecordStore store;
    private RedisRecordStore twin;
    private StoreBackend backend;

    /** Opens one more connection to the Redis. */
    abstract RedisBackend connect(Handles with, RedisOptions options);

    @BeforeAll
    void open() {
        store = new RedisRecordStore(connect(handles, OPTIONS));
        twin = new RedisRecordStore(connect(handles, OPTIONS));
        RedisBackend looking = connect(handles, OPTIONS);
        backend = backend(StoreBackend.withRealClock(() -> looking.call(deadline -> {
            // the latest of all masters' clocks
            return looking.link().nodes(deadline).stream()
                    .mapToLong(node -> micros(deadline.await(node.commands().time())))
                    .max()
                    .orElseThrow();
        })));
    }

    /** The backend, made of its clock. */
    StoreBackend backend(StoreBackend clock) {
        return clock;
    }

    /** Whether a restart loses nothing. */
    boolean survivesRestart() {
        return false;
    }

    private static long micros(List<byte[]> time) {
        return number(time.get(0)) * 1_000_000 + number(time.get(1));
    }

    private static long number(byte[] digits) {
        return Long.parseLong(new String(digits, StandardCharsets.US_ASCII));
    }

    @AfterAll
    void close() {
        handles.close();
    }

    @Override
    protected RecordStore store() {
        return store;
    }

    @Override
    protected RecordStore twin() {
        return twin;
    }

    @Override
    protected StoreBackend backend() {
        return backend;
    }

    @Override
    protected StoreAbilities abilities() {
        return new StoreAbilities(true, false, true, survivesRestart(), 1024 * 1024, MARGIN);
    }
}
