package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.redis.RedisBackend;
import io.oncegate.testsupport.RedisServers;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The Redis that the application has anyway, by {@code spring.data.redis.*}. */
class ApplicationRedisIT {
    private static final Operation<String> GREET =
            Operation.named("greet").returning(String.class).build();

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, OncegateAutoConfiguration.class))
            .withPropertyValues(
                    "spring.data.redis.url=" + RedisServers.standalone().uri(),
                    "oncegate.redis.timeout=10s",
                    "oncegate.redis.prefix=application");

    @Test
    void servesOnAfterTheContextHasBeenStoppedAndStarted() {
        application.run(context -> {
            Oncegate oncegate = context.getBean("claimedOncegate", Oncegate.class);
            assertThat(run(oncegate, "before")).isEqualTo("first");

            context.getSourceApplicationContext().stop();
            context.getSourceApplicationContext().start();
            assertThat(context.getBean(LettuceConnectionFactory.class).isRunning())
                    .isTrue();

            assertThat(run(oncegate, "before")).isEqualTo("first");
            assertThat(run(oncegate, "after")).isEqualTo("first");
        });
    }

    @Test
    void leavesTheApplicationsConnectionAlone() {
        application.run(context -> {
            LettuceConnectionFactory factory = context.getBean(LettuceConnectionFactory.class);
            assertThat(run(context.getBean("claimedOncegate", Oncegate.class), "alone"))
                    .isEqualTo("first");
            context.getBean(RedisBackend.class).close();
            assertThat(factory.getConnection().ping()).isEqualTo("PONG");
        });
    }

    private static String run(Oncegate oncegate, String key) {
        return oncegate.run(
                        GREET.call(Scope.of("ann"), key, Fingerprint.builder().build()), claim -> "first")
                .orElseThrow();
    }
}
