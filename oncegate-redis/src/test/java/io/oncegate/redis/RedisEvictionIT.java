package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("C23: Redis evicts records")
class RedisEvictionIT {
    private static final String LARGE = "r".repeat(50_000);

    @AutoClose
    private final Handles handles = new Handles();

    @Test
    void reportsAPolicyThatEvicts() {
        try (RedisServer server = RedisServers.own("maxmemory 5mb", "maxmemory-policy volatile-lru")) {
            EvictionPolicy policy =
                    handles.backend(server.uri(), Handles.OPTIONS).evictionPolicy();
            assertThat(policy).isEqualTo(new EvictionPolicy.Known("volatile-lru"));
            assertThat(policy.keepsEverything()).isFalse();
        }
    }

    @Test
    void reportsAPolicyThatKeepsEverythingOnAllKindsOfRedis() {
        List<RedisBackend> backends = List.of(
                handles.backend(RedisServers.standalone().uri(), Handles.OPTIONS),
                handles.backend(RedisServers.sentinel().uri(), Handles.OPTIONS),
                handles.backend(RedisServers.cluster(), Handles.OPTIONS));
        for (RedisBackend backend : backends) {
            assertThat(backend.evictionPolicy()).isEqualTo(new EvictionPolicy.Known("noeviction"));
            assertThat(backend.evictionPolicy().keepsEverything()).isTrue();
        }
    }

    @Test
    void saysSoIfThePolicyCannotBeRead() {
        try (RedisServer server = RedisServers.own("rename-command INFO \"\"")) {
            EvictionPolicy policy =
                    handles.backend(server.uri(), Handles.OPTIONS).evictionPolicy();
            assertThat(policy).isInstanceOf(EvictionPolicy.Unreadable.class);
            assertThat(policy.keepsEverything()).isFalse();
        }
        try (RedisServer server = RedisServers.own()) {
            RedisBackend backend = handles.backend(server.uri(), Handles.OPTIONS);
            server.kill();
            assertThat(backend.evictionPolicy()).isInstanceOf(EvictionPolicy.Unreadable.class);
        }
    }

    @Test
    void evictedRecordsAreFreeAgainAndNothingUntypedEscapes() {
        try (RedisServer server = RedisServers.own("maxmemory 5mb", "maxmemory-policy volatile-lru")) {
            RedisRecordStore store = handles.store(server.uri());
            List<Intent> intents = fill(store);
            int evicted = 0;
            for (Intent intent : intents) {
                ClaimAnswer answer = intent.askedAt(store);
                assertThat(answer)
                        .isInstanceOfAny(
                                ClaimAnswer.Granted.class, ClaimAnswer.Replay.class, ClaimAnswer.NoResult.class);
                evicted += answer instanceof ClaimAnswer.Granted ? 1 : 0;
            }
            assertThat(evicted).isPositive();
        }
    }

    @Test
    void aFullRedisThatKeepsEverythingRefusesWithATypedErrorAndLosesNothing() {
        try (RedisServer server = RedisServers.own("maxmemory 5mb", "maxmemory-policy noeviction")) {
            RedisRecordStore store = handles.store(server.uri());
            List<Intent> intents = new ArrayList<>();
            StoreUnavailableException refused = null;
            while (refused == null && intents.size() < 1_000) {
                Intent intent = Intent.fresh();
                try {
                    settle(store, intent);
                    intents.add(intent);
                } catch (StoreUnavailableException e) {
                    refused = e;
                }
            }
            assertThat(refused).hasMessageContaining("OOM");
            for (Intent intent : intents) {
                assertThat(intent.askedAt(store)).isInstanceOf(ClaimAnswer.Replay.class);
            }
        }
    }

    private static List<Intent> fill(RedisRecordStore store) {
        List<Intent> intents = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Intent intent = Intent.fresh();
            intents.add(intent);
            settle(store, intent);
        }
        return intents;
    }

    private static void settle(RedisRecordStore store, Intent intent) {
        store.settle(intent.grantedAt(store), Intent.success(LARGE));
    }
}
