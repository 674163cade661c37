package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.HolderAnswer;
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

    @BeforeEach
    void connect() {
        store = handles.store(RedisServers.cluster());
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
            wholeLife(Intent.of(key + System.nanoTime()));
        }
    }

    @Test
    void aThousandRandomIdsWorkOnAllNodes() {
        Set<Integer> nodes = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            Intent intent = Intent.fresh();
            nodes.add(SlotHash.getSlot(FORMAT.recordKey(intent.id())) * 3 / SlotHash.SLOT_COUNT);
            wholeLife(intent);
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
