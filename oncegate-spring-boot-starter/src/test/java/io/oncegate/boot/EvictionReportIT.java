package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.redis.RedisOptions;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

@DisplayName("C23: a Redis that evicts is reported at start-up")
@ExtendWith(OutputCaptureExtension.class)
class EvictionReportIT {
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Test
    void anApplicationSaysItWhenItIsReady(CapturedOutput output) {
        try (RedisServer server = RedisServers.own("maxmemory 5mb", "maxmemory-policy volatile-lru");
                ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
                        .web(WebApplicationType.NONE)
                        .properties(
                                "spring.main.banner-mode=off",
                                "spring.datasource.generate-unique-name=true",
                                "oncegate.jdbc.create-schema=true",
                                "oncegate.redis.timeout=10s",
                                "oncegate.redis.uri=" + server.uri().toURI())
                        .run()) {
            assertThat(application.isActive()).isTrue();
            assertThat(output).contains("Redis may drop records and locks", "volatile-lru");
        }
    }

    @Test
    void aPolicyThatEvictsIsReported() {
        try (RedisServer server = RedisServers.own("maxmemory 5mb", "maxmemory-policy allkeys-lru")) {
            assertThat(warning(server)).contains("allkeys-lru", "noeviction");
        }
    }

    @Test
    void aPolicyThatCannotBeReadIsReported() {
        try (RedisServer server = RedisServers.own("rename-command INFO \"\"")) {
            assertThat(warning(server)).contains("cannot be read");
        }
    }

    @Test
    void aRedisThatKeepsEverythingIsNoNews() {
        try (RedisServer server = RedisServers.own()) {
            assertThat(warning(server)).isNull();
        }
    }

    private static @Nullable String warning(RedisServer server) {
        try (OwnRedis redis = OwnRedis.at(
                server.uri().toURI().toString(), false, RedisOptions.defaults().withTimeout(Duration.ofSeconds(10)))) {
            return EvictionReport.warning(redis.backend().evictionPolicy());
        }
    }
}
