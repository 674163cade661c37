package io.oncegate.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.RedisURI;
import io.oncegate.core.lock.LockStore;
import io.oncegate.testkit.Outage;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.Patience;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import io.oncegate.testsupport.TcpFault;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Locks on each kind of Redis, all at once, for the tests wait most of their time. A resource of its own keeps the tests of one
 * class one after the other.
 */
class RedisLocksContractIT {
    /** Cut off by a line that is frozen. */
    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("RedisLocksTck Standalone")
    class Standalone extends RedisLocksTck {
        private final TcpFault line = TcpFault.to(RedisServers.standalone());

        Standalone() {
            super(500, 100);
        }

        @Override
        RedisBackend connect(Handles with, RedisOptions options) {
            return with.backend(RedisServers.standalone().uri(), options);
        }

        @Override
        LockStore cuttable() {
            outage(new Outage() {
                @Override
                public void begin() {
                    line.freeze();
                }

                @Override
                public void end() {
                    if (line.isBroken()) {
                        line.unfreeze();
                    }
                }
            });
            RedisURI uri = RedisURI.create(line.host(), line.port());
            LockStore patient = new RedisLockStore(handles.backend(uri, OPTIONS));
            LockStore impatient = new RedisLockStore(handles.backend(uri, OPTIONS.withTimeout(Duration.ofSeconds(2))));
            Await.until(
                    "connected",
                    Duration.ofSeconds(60),
                    () -> Lock.fresh().isFreeAt(patient) && Lock.fresh().isFreeAt(impatient));
            return Patience.unless(line::isBroken, LockStore.class, patient, impatient);
        }

        @AfterAll
        void closeLine() {
            line.close();
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("RedisLocksTck OnRedis7")
    class OnRedis7 extends RedisLocksTck {
        OnRedis7() {
            super(50, 20);
        }

        @Override
        RedisBackend connect(Handles with, RedisOptions options) {
            Optional<RedisServer> server = RedisServers.redis7();
            assumeTrue(server.isPresent(), "no Redis 7: install redis-server or set ONCEGATE_TEST_REDIS7");
            return with.backend(server.orElseThrow().uri(), options);
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("RedisLocksTck BySentinel")
    class BySentinel extends RedisLocksTck {
        BySentinel() {
            super(50, 20);
        }

        @Override
        RedisBackend connect(Handles with, RedisOptions options) {
            return with.backend(RedisServers.sentinel().uri(), options);
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("RedisLocksTck InACluster")
    class InACluster extends RedisLocksTck {
        InACluster() {
            super(50, 20);
        }

        @Override
        RedisBackend connect(Handles with, RedisOptions options) {
            return RedisBackend.connecting(with.client(RedisServers.cluster()), options);
        }
    }
}
