package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockEvent;
import io.oncegate.core.lock.LockListener;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.Locks;
import io.oncegate.testsupport.FreePorts;
import io.oncegate.testsupport.RedisServers;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Two applications exclude each other, by the store that each of them has found. */
class LockStarterIT {
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(OncegateAutoConfiguration.class, LockAutoConfiguration.class))
            .withPropertyValues(
                    "oncegate.redis.uri=" + RedisServers.standalone().uri(), "oncegate.redis.timeout=10s");

    private final OperationKey key =
            OperationKey.of("seat.change", Scope.global(), UUID.randomUUID().toString());

    @Test
    void onRedis() {
        application.run(one -> application.run(two -> exclude(one.getBean(Locks.class), two.getBean(Locks.class))));
    }

    @Test
    void onZooKeeperWhereItIsNamed() throws Exception {
        List<LockEvent.Kind> heard = new CopyOnWriteArrayList<>();
        try (TestingServer server = new TestingServer(FreePorts.next(), true)) {
            ApplicationContextRunner zoo = application
                    .withBean(
                            CuratorFramework.class,
                            () -> CuratorFrameworkFactory.newClient(server.getConnectString(), new RetryOneTime(100)),
                            definition -> {
                                definition.setInitMethodName("start");
                                definition.setDestroyMethodName("close");
                            })
                    .withBean(LockListener.class, () -> event -> heard.add(event.kind()));
            zoo.run(context -> assertThat(context.getBean(Locks.class).name()).startsWith("redis"));
            ApplicationContextRunner named =
                    zoo.withPropertyValues("oncegate.locks.store=zookeeper", "oncegate.locks.zookeeper-path=/mine");
            named.run(one -> named.run(two -> {
                Locks locks = one.getBean(Locks.class);
                for (var context : List.of(one, two)) {
                    assertThat(context.getBean(CuratorFramework.class).blockUntilConnected(60, TimeUnit.SECONDS))
                            .isTrue();
                }
                exclude(locks, two.getBean(Locks.class));
                try (HeldLock held =
                        locks.tryAcquire(key, LockOptions.untilDone()).orElseThrow()) {
                    assertThat(held.isHeld()).isTrue();
                    assertThat(two.getBean(CuratorFramework.class).getChildren().forPath("/mine"))
                            .isNotEmpty();
                }
                assertThatThrownBy(() -> locks.tryAcquire(key, LockOptions.forWindow(Duration.ofSeconds(5))))
                        .isInstanceOf(IllegalArgumentException.class);
            }));
        }
        assertThat(heard).contains(LockEvent.Kind.ACQUIRED, LockEvent.Kind.REFUSED);
    }

    private void exclude(Locks one, Locks two) {
        HeldLock held = one.tryAcquire(key, LockOptions.untilDone()).orElseThrow();
        assertThat(two.tryAcquire(key, LockOptions.untilDone())).isInstanceOf(Acquisition.Refused.class);
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        HeldLock next = two.tryAcquire(key, LockOptions.untilDone()).orElseThrow();
        assertThat(next.fence()).isGreaterThan(held.fence());
        assertThat(next.release()).isEqualTo(LockRelease.DONE);
    }
}
