package io.oncegate.benchmarks;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.oncegate.benchmarks.http.OrderClient;
import io.oncegate.benchmarks.http.OrderServer;
import io.oncegate.benchmarks.http.WebStack;
import io.oncegate.core.Oncegate;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.spring.http.IdempotencyKeyHeader;
import io.oncegate.spring.http.IdempotentRoute;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rows of HTTP notice when a side does something else than what it is measured for. */
class HttpTargetTest {
    @ParameterizedTest
    @EnumSource
    void aReplayThatRunsIsNoReplay(WebStack stack) throws Exception {
        try (HttpTarget target = new HttpTarget("bare", stack.bare())) {
            Body body = target.replays();
            assertThatIllegalStateException().isThrownBy(body::run).withMessage("bare: ran instead of replaying");
            assertThatIllegalStateException()
                    .isThrownBy(target::check)
                    .withMessage("bare: the handler should have run 1 times, and has run 2");
            target.clean();
            target.check();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFirstRunThatIsReplayedIsNone(WebStack stack) throws Exception {
        IdempotentRoute route =
                IdempotentRoute.post(OrderServer.PATH, Orders.NAME).build();
        try (Oncegate engine = Oncegate.claimed(new MemoryRecordStore()).build();
                HttpTarget target = new HttpTarget("gated", stack.gated(engine, List.of(route)))) {
            Body body = target.firstRuns(OrderServer.PATH, IdempotencyKeyHeader.DEFAULT_NAME, () -> "same");
            body.run();
            target.check();
            assertThatIllegalStateException().isThrownBy(body::run).withMessage("gated: replayed instead of running");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRunThatNobodyAskedForIsFound(WebStack stack) throws Exception {
        OrderServer server = stack.bare();
        try (HttpTarget target = new HttpTarget("bare", server);
                OrderClient stranger = new OrderClient(server, OrderServer.PATH)) {
            target.firstRuns().run();
            stranger.post(IdempotencyKeyHeader.DEFAULT_NAME, Keys.next());
            assertThatIllegalStateException()
                    .isThrownBy(target::check)
                    .withMessage("bare: the handler should have run 1 times, and has run 2");
        }
    }
}
