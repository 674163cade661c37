package io.oncegate.redis;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.lock.Locks;
import io.oncegate.testkit.DoomedProcess;
import io.oncegate.testkit.FaultyLockStore;
import io.oncegate.testkit.LocksAbilities;
import io.oncegate.testkit.LocksContract;
import io.oncegate.testkit.Outage;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** The contract of locks on one kind of Redis. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RedisLocksTck extends LocksContract {
    private static final Duration MARGIN = Duration.ofMillis(50);
    static final RedisOptions OPTIONS = Handles.OPTIONS.withPrefix("locks-tck").withPurgeMargin(MARGIN);
    private static final LockFormat FORMAT = new LockFormat(OPTIONS.prefix());

    final Handles handles = new Handles();
    private final int manyKeys;
    private final int rounds;
    private LeasedLocks locks;
    private LeasedLocks twin;
    private RedisBackend looking;
    private Outage outage;

    RedisLocksTck(int manyKeys, int rounds) {
        this.manyKeys = manyKeys;
        this.rounds = rounds;
    }

    /** Opens the connections of one more process. */
    abstract RedisBackend connect(Handles with, RedisOptions options);

    /** The store that can be cut off. */
    LockStore cuttable() {
        // no proxy fits in between: Redis itself tells clients where its nodes are
        FaultyLockStore cuttable = new FaultyLockStore(new RedisLockStore(connect(handles, OPTIONS)));
        outage = new Outage() {
            @Override
            public void begin() {
                cuttable.down(true);
            }

            @Override
            public void end() {
                cuttable.down(false);
            }
        };
        return cuttable;
    }

    void outage(Outage other) {
        outage = other;
    }

    @BeforeAll
    void open() {
        locks = handles.locks(cuttable());
        twin = handles.locks(new RedisLockStore(connect(handles, OPTIONS)));
        looking = connect(handles, OPTIONS);
    }

    @AfterAll
    void close() {
        handles.close();
    }

    @Override
    protected Locks locks() {
        return locks;
    }

    @Override
    protected Locks twin() {
        return twin;
    }

    @Override
    protected Outage outage() {
        return outage;
    }

    @Override
    protected DoomedProcess doomed() {
        RedisBackend backend = connect(handles, OPTIONS);
        LeasedLocks mortal = handles.locks(new RedisLockStore(backend));
        return new DoomedProcess() {
            @Override
            public Locks locks() {
                return mortal;
            }

            @Override
            public void die() {
                mortal.close();
                backend.close();
            }
        };
    }

    @Override
    protected long leftOvers(OperationKey key) {
        return RedisLockStoreTck.entries(looking, FORMAT.lockKey(key.id()));
    }

    @Override
    protected LocksAbilities abilities() {
        return new LocksAbilities(
                true, true, true, true, LocksContract.SHORT_LEASE, Duration.ofSeconds(12), manyKeys, rounds);
    }
}
