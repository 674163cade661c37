package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordBrowser.Entry;
import io.oncegate.core.spi.RecordBrowser.Page;
import io.oncegate.core.spi.RecordBrowser.Query;
import io.oncegate.core.spi.RecordState;
import io.oncegate.testsupport.RedisServers;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("C22: slots of a cluster")
class RedisClusterSlotsIT {
    private static final RecordFormat FORMAT = new RecordFormat(RedisOptions.DEFAULT_PREFIX);

    @AutoClose
    private final Handles handles = new Handles();

    private RedisRecordStore store;
    private RedisLockStore locks;

    @BeforeEach
    void connect() {
        RedisBackend redis = RedisBackend.connecting(handles.client(RedisServers.cluster()), Handles.OPTIONS);
        store = new RedisRecordStore(redis);
        locks = new RedisLockStore(redis);
    }

    static Stream<String> oddKeys() {
        return Stream.of(
                "{a}",
                "{",
                "}",
                "{}",
                "}{",
                "{a}{b}",
                "a{b}c",
                "a b",
                "a:b:c",
                " x",
                "\t",
                "\u0000",
                "*?[a-z]\\",
                "\r\n",
                "\u8ba2\u5355-\u4e00\u4e8c",
                "\ud83c\udfab",
                "e\u0301",
                "\u00e9",
                "x".repeat(16_000));
    }

    @ParameterizedTest
    @MethodSource("oddKeys")
    void oddKeysWork(String key) {
        if (!key.isBlank()) {
            String fresh = key + System.nanoTime();
            wholeLife(Intent.of(fresh));
            wholeLife(Lock.of(fresh));
        }
    }

    @Test
    void aThousandRandomIdsWorkOnAllNodes() {
        Set<Integer> nodes = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            Intent intent = Intent.fresh();
            nodes.add(SlotHash.getSlot(FORMAT.recordKey(intent.id())) * 3 / SlotHash.SLOT_COUNT);
            wholeLife(intent);
            wholeLife(Lock.fresh());
        }
        assertThat(nodes).hasSize(3);
    }

    private void wholeLife(Intent intent) {
        ClaimRef first = intent.grantedAt(store);
        assertThat(store.renew(first, Intent.LEASE)).isEqualTo(HolderAnswer.DONE);
        assertThat(store.release(first)).isEqualTo(HolderAnswer.DONE);
        ClaimRef second = intent.grantedAt(store);
        assertThat(store.settle(second, Intent.success("r", Intent.DAY, Duration.ofHours(1))))
                .isEqualTo(HolderAnswer.DONE);
        assertThat(intent.askedAt(store)).isEqualTo(Intent.replayOf("r"));
        assertThat(store.find(intent.id())).isPresent();
        assertThat(store.forget(intent.id())).isEqualTo(ForgetAnswer.FORGOTTEN);
        assertThat(intent.askedAt(store)).isInstanceOf(ClaimAnswer.Granted.class);
    }

    private void wholeLife(Lock lock) {
        ClaimRef first = lock.grantedAt(locks);
        assertThat(locks.acquire(lock.request().waiting())).isInstanceOf(LockAnswer.Held.class);
        assertThat(locks.renew(first, Lock.LEASE)).isEqualTo(HolderAnswer.DONE);
        LockRequest next = lock.request();
        ClaimRef second = new ClaimRef(lock.id(), locks.pass(first, next).orElseThrow(), next.attempt());
        Payload result = Intent.payload("r");
        assertThat(locks.end(second, new LockEnd(true, result, Duration.ofMinutes(1))))
                .isEqualTo(HolderAnswer.DONE);
        LockRequest taking = new LockRequest(
                lock.id(), Lock.OPERATION, AttemptId.random(), Lock.LEASE, null, false, true, second.fence());
        assertThat(locks.acquire(taking)).isEqualTo(new LockAnswer.Result(result));
        assertThat(lock.isFreeAt(locks)).isTrue();
    }

    @Test
    void aLockItsResultAndItsChannelShareASlot() {
        for (int i = 0; i < 1_000; i++) {
            byte[] name = Lock.of("{same}" + i).name();
            assertThat(SlotHash.getSlot(LockFormat.resultKey(name))).isEqualTo(SlotHash.getSlot(name));
        }
        assertThat(IntStream.range(0, 200)
                        .mapToObj(i -> SlotHash.getSlot(Lock.of("{same}" + i).name()))
                        .distinct())
                .hasSizeGreaterThan(150);
    }

    @Test
    void bracesInAKeyDoNotMoveItsSlot() {
        List<Integer> slots = IntStream.range(0, 200)
                .mapToObj(i -> Intent.of("{same}" + i).id())
                .map(id -> SlotHash.getSlot(FORMAT.recordKey(id)))
                .distinct()
                .toList();
        assertThat(slots).hasSizeGreaterThan(150);
    }

    @Test
    void aRecordAndItsResultShareASlot() {
        for (int i = 0; i < 1_000; i++) {
            byte[] record = FORMAT.recordKey(Intent.fresh().id());
            assertThat(SlotHash.getSlot(RecordFormat.resultKey(record))).isEqualTo(SlotHash.getSlot(record));
        }
    }

    @Test
    void listsTheRecordsOfAllNodes() {
        Set<RecordId> made = new HashSet<>();
        RedisRecordStore other = new RedisRecordStore(
                handles.backend(RedisServers.cluster(), Handles.OPTIONS.withPrefix("listing-" + System.nanoTime())));
        for (int i = 0; i < 300; i++) {
            Intent intent = Intent.fresh();
            made.add(intent.id());
            ClaimRef claim = intent.grantedAt(other);
            if (i % 2 == 0) {
                other.settle(claim, Intent.success("four", Intent.DAY, Duration.ofHours(1 + i % 24)));
            }
        }
        Set<RecordId> shown = new HashSet<>();
        int settled = 0;
        String next = null;
        do {
            Page page = other.browse(new Query(Intent.OPERATION, null, 20, next));
            for (Entry entry : page.entries()) {
                shown.add(entry.id());
                if (entry.state() == RecordState.SUCCEEDED) {
                    assertThat(entry.resultSize()).isEqualTo(4);
                    settled++;
                }
            }
            next = page.next();
        } while (next != null);
        assertThat(shown).isEqualTo(made);
        assertThat(settled).isGreaterThanOrEqualTo(150);
    }
}
