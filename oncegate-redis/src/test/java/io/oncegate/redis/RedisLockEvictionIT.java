package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import io.oncegate.testsupport.TestDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("C23: Redis evicts locks")
class RedisLockEvictionIT {
    private static final LockOptions LONG = LockOptions.untilDone().lease(Duration.ofHours(1));
    private static final int ORDERS = 200;

    @AutoClose
    private final Handles handles = new Handles();

    @Test
    void evictedLocksAreGrantedTwiceAndTheDataKeepsOneRow() throws SQLException {
        try (RedisServer server = RedisServers.own("maxmemory 3mb", "maxmemory-policy volatile-lru");
                TestDatabase database = Databases.H2.fresh();
                Connection data = database.connect()) {
            assertThat(handles.backend(server.uri(), Handles.OPTIONS)
                            .evictionPolicy()
                            .keepsEverything())
                    .isFalse();
            data.createStatement().execute("CREATE TABLE orders (id VARCHAR(64) PRIMARY KEY, fence BIGINT)");
            LeasedLocks locks = handles.locks(server.uri());
            LeasedLocks twin = handles.locks(server.uri());
            List<Lock> orders = new ArrayList<>();
            List<HeldLock> held = new ArrayList<>();
            for (int i = 0; i < ORDERS; i++) {
                Lock order = Lock.fresh();
                orders.add(order);
                HeldLock lock = Lock.held(locks.tryAcquire(order.key(), LONG));
                held.add(lock);
                assertThat(insert(data, order, lock.fence())).isTrue();
            }
            fill(server);
            int twice = 0;
            for (int i = 0; i < ORDERS; i++) {
                Acquisition<HeldLock> duplicate = twin.tryAcquire(orders.get(i).key(), LONG);
                if (duplicate instanceof Acquisition.Acquired<HeldLock> acquired) {
                    twice++;
                    assertThat(acquired.lock().fence())
                            .isGreaterThan(held.get(i).fence());
                    assertThat(insert(data, orders.get(i), acquired.lock().fence()))
                            .isFalse();
                    assertThat(held.get(i).release()).isEqualTo(LockRelease.LOST);
                } else {
                    assertThat(duplicate).isInstanceOf(Acquisition.Refused.class);
                }
            }
            assertThat(twice).isPositive();
            try (ResultSet rows = data.createStatement().executeQuery("SELECT COUNT(*) FROM orders")) {
                rows.next();
                assertThat(rows.getInt(1)).isEqualTo(ORDERS);
            }
        }
    }

    @Test
    void aFullRedisThatKeepsEverythingRefusesWithATypedErrorAndKeepsItsLocks() throws IOException {
        try (RedisServer server = RedisServers.own("maxmemory-policy noeviction")) {
            LeasedLocks locks = handles.locks(server.uri());
            Lock before = Lock.fresh();
            HeldLock held = Lock.held(locks.tryAcquire(before.key(), LONG));
            server.send("CONFIG SET maxmemory 1");
            assertThatThrownBy(() -> locks.tryAcquire(Lock.fresh().key(), LONG))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("OOM");
            assertThat(handles.locks(server.uri()).tryAcquire(before.key(), LONG))
                    .isInstanceOf(Acquisition.Refused.class);
            assertThat(held.release()).as("ends with its lease").isEqualTo(LockRelease.UNKNOWN);
        }
    }

    /** Writes until something has to go. */
    private void fill(RedisServer server) {
        RedisCommands<byte[], byte[]> redis =
                handles.client(server.uri()).connect(ByteArrayCodec.INSTANCE).sync();
        byte[] large = new byte[20_000];
        for (int i = 0; i < 400; i++) {
            redis.psetex(("fill" + i).getBytes(StandardCharsets.US_ASCII), 3_600_000, large);
        }
    }

    private static boolean insert(Connection data, Lock order, long fence) throws SQLException {
        try (PreparedStatement insert = data.prepareStatement("INSERT INTO orders (id, fence) VALUES (?, ?)")) {
            insert.setString(1, order.id().shortForm());
            insert.setLong(2, fence);
            return insert.executeUpdate() == 1;
        } catch (SQLIntegrityConstraintViolationException duplicate) {
            return false;
        }
    }
}
