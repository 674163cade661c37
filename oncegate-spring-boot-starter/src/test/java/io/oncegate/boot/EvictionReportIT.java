package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.oncegate.redis.RedisOptions;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@DisplayName("C23: a Redis that evicts is reported at start-up")
class EvictionReportIT {
    @Test
    void aPolicyThatEvictsIsReported() {
        try (RedisServer server = RedisServers.own("maxmemory 5mb", "maxmemory-policy allkeys-lru")) {
            assertThat(reported(server)).singleElement().asString().contains("allkeys-lru", "noeviction");
        }
    }

    @Test
    void aPolicyThatCannotBeReadIsReported() {
        try (RedisServer server = RedisServers.own("rename-command INFO \"\"")) {
            assertThat(reported(server)).singleElement().asString().contains("cannot be read");
        }
    }

    @Test
    void aRedisThatKeepsEverythingIsNoNews() {
        try (RedisServer server = RedisServers.own()) {
            assertThat(reported(server)).isEmpty();
        }
    }

    private static List<String> reported(RedisServer server) {
        Logger logger = (Logger) LoggerFactory.getLogger(EvictionReport.class);
        ListAppender<ILoggingEvent> seen = new ListAppender<>();
        seen.start();
        logger.addAppender(seen);
        try (OwnRedis redis =
                OwnRedis.at(server.uri().toURI().toString(), false, RedisOptions.defaults())) {
            new EvictionReport(redis.backend()).report();
        } finally {
            logger.detachAppender(seen);
        }
        return seen.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }
}
