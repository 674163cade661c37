package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Counts what reaches the server: one command a call, and what each script does inside. */
class RedisRoundTripsIT {
    @AutoClose
    private final RedisServer server = RedisServers.own();

    @AutoClose
    private final Handles handles = new Handles();

    private RedisRecordStore store;

    @BeforeEach
    void warmUp() {
        store = handles.store(server.uri());
        Intent settled = Intent.fresh();
        ClaimRef claim = settled.grantedAt(store);
        store.renew(claim, Intent.LEASE);
        store.settle(claim, Intent.success("r"));
        store.release(claim);
        store.forget(settled.id());
        store.find(settled.id());
    }

    @Test
    void aFreshClaimIsOneCommand() throws IOException {
        assertThat(commandsOf(() -> Intent.fresh().grantedAt(store))).isEqualTo("evalsha=1 get=1 set=1 time=1");
    }

    @Test
    void renewSettleAndReleaseAreOneCommandEach() throws IOException {
        Intent intent = Intent.fresh();
        ClaimRef claim = intent.grantedAt(store);
        String once = "evalsha=1 get=1 set=1 time=1";
        assertThat(commandsOf(() -> store.renew(claim, Intent.LEASE))).isEqualTo(once);
        assertThat(commandsOf(() -> store.settle(claim, Intent.success("r")))).isEqualTo(once);
        Intent other = Intent.fresh();
        ClaimRef released = other.grantedAt(store);
        assertThat(commandsOf(() -> store.release(released))).isEqualTo(once);
    }

    @Test
    void aRefusedClaimAndAReplayAreOneCommandAndWriteNothing() throws IOException {
        Intent intent = Intent.fresh();
        ClaimRef claim = intent.grantedAt(store);
        String read = "evalsha=1 get=1 time=1";
        assertThat(commandsOf(() -> intent.askedAt(store))).isEqualTo(read);
        assertThat(commandsOf(() -> intent.amount(99).askedAt(store))).isEqualTo(read);
        store.settle(claim, Intent.success("r"));
        assertThat(commandsOf(() -> intent.askedAt(store))).isEqualTo(read);
        assertThat(commandsOf(() -> intent.amount(99).askedAt(store))).isEqualTo(read);
    }

    @Test
    void aStaleHandWritesNothing() throws IOException {
        ClaimRef claim = Intent.fresh().grantedAt(store);
        ClaimRef stale = new ClaimRef(claim.id(), claim.fence(), AttemptId.random());
        String read = "evalsha=1 get=1";
        assertThat(commandsOf(() -> store.renew(stale, Intent.LEASE))).isEqualTo(read);
        assertThat(commandsOf(() -> store.settle(stale, Intent.success("r")))).isEqualTo(read);
        assertThat(commandsOf(() -> store.release(stale))).isEqualTo(read);
    }

    @Test
    void aResultThatGoesEarlyCostsNoRoundTripEither() throws IOException {
        Intent intent = Intent.fresh();
        ClaimRef claim = intent.grantedAt(store);
        assertThat(commandsOf(() -> store.settle(claim, Intent.success("r", Intent.DAY, Duration.ofHours(1)))))
                .isEqualTo("evalsha=1 get=1 set=2 time=1");
        assertThat(commandsOf(() -> assertThat(intent.askedAt(store)).isInstanceOf(ClaimAnswer.Replay.class)))
                .isEqualTo("evalsha=1 get=2 time=1");
    }

    @Test
    void operatorsLookAndForgetInOneCommandEach() throws IOException {
        Intent intent = Intent.fresh();
        store.settle(intent.grantedAt(store), Intent.success("a result"));
        assertThat(commandsOf(() -> store.find(intent.id()))).isEqualTo("evalsha=1 getrange=2 time=1");
        assertThat(commandsOf(() -> store.forget(intent.id()))).isEqualTo("evalsha=1 get=1 set=1 time=1");
    }

    private String commandsOf(Runnable call) throws IOException {
        return ServerCommands.of(server, call);
    }
}
