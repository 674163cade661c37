package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.caffeine.CachedRecordStore;
import io.oncegate.core.LadderForget;
import io.oncegate.core.Oncegate;
import io.oncegate.redis.RedisRecordStore;
import io.oncegate.spring.annotation.Idempotent;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** When an application has a ladder. Nothing here needs a server: Redis is not asked before the first request. */
class LadderSetupTest {
    private final ApplicationContextRunner withDatabase = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OncegateAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class))
            .withPropertyValues("spring.datasource.generate-unique-name=true", "oncegate.jdbc.create-schema=true");

    private final ApplicationContextRunner withBoth =
            withDatabase.withPropertyValues("oncegate.redis.uri=redis://127.0.0.1:1");

    @Test
    void redisAndADatabaseMakeALadder() {
        withBoth.run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(LadderForget.class);
            assertThat(context.getBean("ladderOncegate", Oncegate.class).inSameTransaction())
                    .isTrue();
            assertThat(context.getBean(FastRecords.class).store()).isInstanceOf(RedisRecordStore.class);
        });
    }

    @Test
    void aLadderThatIsAskedForIsThere() {
        withBoth.withPropertyValues("oncegate.ladder.enabled=true")
                .run(context -> assertThat(context).hasNotFailed().hasBean("ladderOncegate"));
    }

    @Test
    void withoutOneOfThemThereIsNone() {
        withDatabase.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("ladderOncegate"));
        withBoth.withPropertyValues("oncegate.same-transaction.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("ladderOncegate"));
        withBoth.withPropertyValues("oncegate.ladder.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("ladderOncegate"));
    }

    @Test
    @DisplayName("a ladder that is asked for and cannot be had stops the start, and says what is missing")
    void aLadderThatCannotBeHad() {
        withDatabase
                .withPropertyValues("oncegate.ladder.enabled=true")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(MissingStoreException.class)
                        .hasMessageContaining("oncegate.ladder.enabled=true")
                        .hasMessageContaining("oncegate.redis.uri"));
    }

    private WebApplicationContextRunner webWith(Class<?>... more) {
        return new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        OncegateAutoConfiguration.class,
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        WebMvcAutoConfiguration.class,
                        MvcGateAutoConfiguration.class,
                        AnnotationAutoConfiguration.class))
                .withUserConfiguration(more)
                .withPropertyValues(
                        "spring.datasource.generate-unique-name=true",
                        "oncegate.jdbc.create-schema=true",
                        "oncegate.redis.uri=redis://127.0.0.1:1",
                        "oncegate.http.routes[0].path=/payments",
                        "oncegate.http.routes[0].operation=payment.make",
                        "oncegate.http.routes[0].ladder=true");
    }

    @Test
    @DisplayName(
            "a route whose retention leaves nothing for Redis, or whose policies are not a ladder's, stops the start")
    void aRouteThatMakesNoSense() {
        webWith()
                .run(context ->
                        assertThat(context.getBean(GateRoutes.class).ladder()).hasSize(1));
        webWith()
                .withPropertyValues("oncegate.http.routes[0].retention=10s")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("shorten the lease"));
        webWith()
                .withPropertyValues("oncegate.http.routes[0].when-store-down=run-unprotected")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("claimed mode"));
        webWith()
                .withPropertyValues("oncegate.http.routes[0].same-transaction=true")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("take one of them"));
        webWith()
                .withPropertyValues("oncegate.ladder.enabled=false")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("needs both Redis"));
    }

    @RestController
    static class ShortLived {
        @Idempotent(operation = "short.lived", mode = Idempotent.Mode.LADDER, retention = "30s", lease = "30s")
        @PostMapping("/short")
        String handler() {
            return "never";
        }
    }

    static class ShortLivedService {
        @Idempotent(
                operation = "short.service",
                key = "#id",
                scope = Idempotent.GLOBAL,
                mode = Idempotent.Mode.LADDER,
                retention = "30s")
        public String run(String id) {
            return id;
        }
    }

    @Test
    @DisplayName("so do an annotated handler and an annotated method")
    void anAnnotationThatMakesNoSense() {
        webWith(ShortLived.class)
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("shorten the lease"));
        webWith(ShortLivedService.class)
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("shorten the lease"));
    }

    @Test
    void theNearCacheIsByChoice() {
        withBoth.withPropertyValues(
                        "oncegate.ladder.near-cache.enabled=true",
                        "oncegate.ladder.near-cache.max-staleness=2s",
                        "oncegate.ladder.near-cache.max-size=1MB")
                .run(context ->
                        assertThat(context.getBean(FastRecords.class).store()).isInstanceOf(CachedRecordStore.class));
    }

    @Test
    @DisplayName("a near cache that makes no sense, or whose module is missing, stops the start")
    void nonsenseStopsTheStart() {
        ApplicationContextRunner cached = withBoth.withPropertyValues("oncegate.ladder.near-cache.enabled=true");
        cached.withPropertyValues("oncegate.ladder.near-cache.max-staleness=2d")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("staleness"));
        cached.withPropertyValues("oncegate.ladder.enabled=false")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("switches off"));
        cached.withClassLoader(new FilteredClassLoader("io.oncegate.caffeine", "com.github.benmanes"))
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("oncegate-caffeine"));
    }
}
