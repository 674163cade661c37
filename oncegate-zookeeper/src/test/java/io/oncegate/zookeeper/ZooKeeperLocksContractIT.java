package io.oncegate.zookeeper;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.Locks;
import io.oncegate.testkit.DoomedProcess;
import io.oncegate.testkit.LocksAbilities;
import io.oncegate.testkit.LocksContract;
import io.oncegate.testkit.Outage;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.TcpFault;
import java.time.Duration;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Locks on ZooKeeper pass the contract; a session of a few seconds stands for the lease. The tests run one after the other,
 * beside other classes.
 */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("ZooKeeperLocksContractIT")
class ZooKeeperLocksContractIT extends LocksContract {
    private static final Duration SESSION = Duration.ofSeconds(5);

    private static Ensemble ensemble;
    private static TcpFault line;
    private static CuratorFramework cut;
    private static CuratorFramework beside;
    private static ZooKeeperLocks locks;
    private static ZooKeeperLocks twin;
    private static boolean frozen;

    @BeforeAll
    static void open() throws Exception {
        ensemble = new Ensemble();
        line = ensemble.line();
        cut = ensemble.client(line, SESSION);
        beside = ensemble.client(Ensemble.LONG);
        locks = ZooKeeperLocks.of(cut);
        twin = ZooKeeperLocks.of(beside);
    }

    @AfterAll
    static void close() throws Exception {
        locks.close();
        twin.close();
        ensemble.close();
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
    protected DoomedProcess doomed() {
        TcpFault itsLine = ensemble.line();
        Locks itsLocks = ZooKeeperLocks.of(ensemble.client(itsLine, Ensemble.SHORT));
        return new DoomedProcess() {
            @Override
            public Locks locks() {
                return itsLocks;
            }

            @Override
            public void die() {
                itsLine.down();
            }
        };
    }

    @Override
    protected Outage outage() {
        return new Outage() {
            @Override
            public void begin() {
                frozen = true;
                line.freeze();
            }

            @Override
            public void end() {
                if (frozen) {
                    frozen = false;
                    line.unfreeze();
                    // a client may count as connected until it finds that its connection has ended
                    Await.until("answered again", Ensemble.LIMIT, ZooKeeperLocksContractIT::isAnswered);
                }
            }
        };
    }

    private static boolean isAnswered() {
        return Ensemble.tryBy(locks, Ensemble.newKey()).release() == LockRelease.DONE;
    }

    @Override
    protected long leftOvers(OperationKey key) {
        try {
            Stat stat = beside.checkExists().forPath(locks.pathOf(key));
            return stat == null ? 0 : 1 + stat.getNumChildren();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected LocksAbilities abilities() {
        return new LocksAbilities(false, false, false, false, SESSION.multipliedBy(2), Duration.ofSeconds(1), 200, 50);
    }
}
