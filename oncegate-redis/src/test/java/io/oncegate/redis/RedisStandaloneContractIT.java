package io.oncegate.redis;

import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.testkit.RestartableBackend;
import io.oncegate.testkit.StoreBackend;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;

/** On a Redis that keeps every write. */
class RedisStandaloneContractIT extends RedisStoreTck {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @AutoClose
    private final RedisServer server = RedisServers.ownDurable();

    @Override
    RedisBackend connect(Handles with, RedisOptions options) {
        return with.backend(server.uri(), options);
    }

    @Override
    boolean survivesRestart() {
        return true;
    }

    @Override
    StoreBackend backend(StoreBackend clock) {
        return new RestartableBackend() {
            @Override
            public long storeTimeMicros() {
                return clock.storeTimeMicros();
            }

            @Override
            public void passTime(Duration duration) {
                clock.passTime(duration);
            }

            @Override
            public void restart() {
                server.kill();
                server.start();
                for (Object each : List.of(store(), twin())) {
                    RecordBrowser browser = (RecordBrowser) each;
                    Await.until(
                            "connected again",
                            PATIENCE,
                            () -> browser.find(Intent.fresh().id()).isEmpty());
                }
            }
        };
    }
}
