package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordBrowser.Query;
import io.oncegate.core.spi.Settlement;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Cases of the field, on real servers and over their restarts. */
class RedisRecordCasesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @AutoClose
    private final Handles handles = new Handles();

    private static void restart(RedisServer server, RedisRecordStore store) {
        server.kill();
        server.start();
        Await.until(
                "connected again",
                PATIENCE,
                () -> store.find(Intent.fresh().id()).isEmpty());
    }

    @Test
    @DisplayName("C41: a crash frees the key at the lease's end, not at the retention's")
    void takesOverAtTheEndOfTheLease() {
        RedisRecordStore store = handles.store(RedisServers.standalone().uri());
        Intent intent = Intent.fresh().lease(Duration.ofSeconds(2));
        ClaimRef crashed = intent.grantedAt(store);
        List<ClaimAnswer> answers = new ArrayList<>();
        Await.until("taken over", PATIENCE, () -> {
            answers.add(intent.askedAt(store));
            return !(answers.get(answers.size() - 1) instanceof ClaimAnswer.Held);
        });
        ClaimAnswer.Granted granted = (ClaimAnswer.Granted) answers.remove(answers.size() - 1);
        assertThat(answers)
                .allSatisfy(answer -> assertThat(((ClaimAnswer.Held) answer).remaining())
                        .isPositive()
                        .isLessThanOrEqualTo(intent.lease()));
        assertThat(granted.takeover()).isTrue();
        assertThat(granted.fence())
                .as("not before the lease's end")
                .isGreaterThanOrEqualTo(crashed.fence() + intent.lease().toNanos() / 1_000);
        assertThat(store.settle(crashed, Intent.success("late"))).isEqualTo(HolderAnswer.LOST);
    }

    @Test
    @DisplayName("C46: another payload is refused while running, after, and after a restart")
    void refusesAnotherPayload() {
        try (RedisServer server = RedisServers.ownDurable()) {
            RedisRecordStore store = handles.store(server.uri());
            Intent ten = Intent.fresh();
            Intent ninetyNine = ten.amount(99);
            ClaimAnswer refused = new ClaimAnswer.Mismatch(ten.fingerprint());
            ClaimRef claim = ten.grantedAt(store);
            assertThat(ninetyNine.askedAt(store)).isEqualTo(refused);
            restart(server, store);
            assertThat(ninetyNine.askedAt(store)).isEqualTo(refused);
            store.settle(claim, Intent.success("ten"));
            assertThat(ninetyNine.askedAt(store)).isEqualTo(refused);
            restart(server, store);
            assertThat(ninetyNine.askedAt(store)).isEqualTo(refused);
            assertThat(ten.askedAt(store)).isEqualTo(Intent.replayOf("ten"));
        }
    }

    @Test
    @DisplayName("C49: a late owner changes nothing and is told so")
    void tellsALateOwnerThatItHasLost() {
        RedisRecordStore store = handles.store(RedisServers.standalone().uri());
        Intent intent = Intent.fresh().lease(Duration.ofMillis(500));
        ClaimRef late = intent.grantedAt(store);
        Intent again = intent.lease(Intent.LEASE);
        AttemptId attempt = AttemptId.random();
        Await.until("taken over", PATIENCE, () -> store.claim(again.request(attempt)) instanceof ClaimAnswer.Granted);
        ClaimRef newer = again.ref(store.claim(again.request(attempt)), attempt);
        assertThat(newer.attempt()).isNotEqualTo(late.attempt());
        refusesAll(store, late, Intent.success("A"));
        assertThat(store.settle(newer, Intent.success("B"))).isEqualTo(HolderAnswer.DONE);
        refusesAll(store, late, Intent.success("A"));
        // the right fence in the wrong hand, and the right hand with the wrong fence
        refusesAll(store, new ClaimRef(intent.id(), newer.fence(), late.attempt()), Intent.success("A"));
        refusesAll(store, new ClaimRef(intent.id(), late.fence(), newer.attempt()), Intent.success("A"));
        assertThat(intent.askedAt(store)).isEqualTo(Intent.replayOf("B"));
    }

    private static void refusesAll(RedisRecordStore store, ClaimRef claim, Settlement settlement) {
        assertThat(store.renew(claim, Intent.LEASE)).isEqualTo(HolderAnswer.LOST);
        assertThat(store.settle(claim, settlement)).isEqualTo(HolderAnswer.LOST);
        assertThat(store.release(claim)).isEqualTo(HolderAnswer.LOST);
    }

    @Test
    void aRestartWithAnAppendOnlyFileKeepsEveryRecord() {
        try (RedisServer server = RedisServers.ownDurable()) {
            RedisRecordStore store = handles.store(server.uri());
            Intent settled = Intent.fresh();
            store.settle(settled.grantedAt(store), Intent.success("r"));
            Intent running = Intent.fresh();
            ClaimRef claim = running.grantedAt(store);
            restart(server, store);
            assertThat(settled.askedAt(store)).isEqualTo(Intent.replayOf("r"));
            assertThat(running.askedAt(store)).isInstanceOf(ClaimAnswer.Held.class);
            assertThat(store.settle(claim, Intent.success("r"))).isEqualTo(HolderAnswer.DONE);
        }
    }

    @Test
    void aRestartWithoutPersistenceForgetsAndTheOldClaimHasLost() {
        try (RedisServer server = RedisServers.own()) {
            RedisRecordStore store = handles.store(server.uri());
            Intent intent = Intent.fresh();
            ClaimRef old = intent.grantedAt(store);
            restart(server, store);
            assertThat(store.settle(old, Intent.success("late"))).isEqualTo(HolderAnswer.LOST);
            ClaimRef newer = intent.grantedAt(store);
            assertThat(newer.fence()).isGreaterThan(old.fence());
            assertThat(store.settle(old, Intent.success("late"))).isEqualTo(HolderAnswer.LOST);
            assertThat(store.settle(newer, Intent.success("r"))).isEqualTo(HolderAnswer.DONE);
        }
    }

    @Test
    void aRecordOfAnUnknownFormatIsNeverRunNorTouched() {
        RedisServer server = RedisServers.standalone();
        RedisRecordStore store = handles.store(server.uri());
        RedisCommands<byte[], byte[]> redis =
                handles.client(server.uri()).connect(ByteArrayCodec.INSTANCE).sync();
        Intent intent = Intent.fresh();
        ClaimRef claim = intent.grantedAt(store);
        byte[] key = new RecordFormat(RedisOptions.DEFAULT_PREFIX).recordKey(intent.id());
        byte[] newer = redis.get(key);
        newer[0] = 2;
        redis.setex(key, 600, newer);
        List<ThrowingCallable> calls = List.of(
                () -> intent.askedAt(store),
                () -> store.renew(claim, Intent.LEASE),
                () -> store.settle(claim, Intent.success("r")),
                () -> store.release(claim),
                () -> store.forget(intent.id()),
                () -> store.find(intent.id()));
        for (ThrowingCallable call : calls) {
            assertThatThrownBy(call)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("upgrade this instance");
        }
        assertThat(redis.get(key)).isEqualTo(newer);
        redis.del(key);
    }

    @Test
    void aResultBesideTheRecordThatIsGoneOrBelongsToAnotherClaimIsNotReplayed() {
        RedisServer server = RedisServers.standalone();
        RedisRecordStore store = handles.store(server.uri());
        RedisCommands<byte[], byte[]> redis =
                handles.client(server.uri()).connect(ByteArrayCodec.INSTANCE).sync();
        Intent intent = Intent.fresh();
        ClaimRef claim = intent.grantedAt(store);
        Settlement settlement = Intent.success("mine", Intent.DAY, Duration.ofHours(1));
        store.settle(claim, settlement);
        assertThat(intent.askedAt(store)).isEqualTo(Intent.replayOf("mine"));
        byte[] key = RecordFormat.resultKey(new RecordFormat(RedisOptions.DEFAULT_PREFIX).recordKey(intent.id()));
        byte[] foreign = redis.get(key);
        foreign[0] ^= 1;
        redis.setex(key, 600, foreign);
        assertThat(intent.askedAt(store)).isInstanceOf(ClaimAnswer.NoResult.class);
        assertThat(store.settle(claim, settlement)).isEqualTo(HolderAnswer.DONE);
        redis.del(key);
        assertThat(intent.askedAt(store)).isInstanceOf(ClaimAnswer.NoResult.class);
        assertThat(store.settle(claim, settlement)).isEqualTo(HolderAnswer.DONE);
    }

    @Test
    void somethingElseUnderARecordsNameIsATypedFailure() {
        RedisServer server = RedisServers.standalone();
        RedisRecordStore store = handles.store(server.uri());
        RedisCommands<byte[], byte[]> redis =
                handles.client(server.uri()).connect(ByteArrayCodec.INSTANCE).sync();
        Intent intent = Intent.fresh();
        byte[] key = new RecordFormat(RedisOptions.DEFAULT_PREFIX).recordKey(intent.id());
        for (byte[] garbage : List.of(new byte[] {}, new byte[] {1}, new byte[] {1, 1, 1}, new byte[] {'x'})) {
            redis.set(key, garbage);
            assertThatThrownBy(() -> intent.askedAt(store)).isInstanceOf(StoreUnavailableException.class);
        }
        redis.del(key);
        redis.lpush(key, new byte[] {1});
        assertThatThrownBy(() -> intent.askedAt(store))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("WRONGTYPE");
        redis.del(key);
    }

    @Test
    void aListingThatIsNotOursIsRefused() {
        RedisRecordStore store = handles.store(RedisServers.standalone().uri());
        assertThatThrownBy(() -> store.browse(new Query(null, null, 10, "x")))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
