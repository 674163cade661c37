package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.Oncegate;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.TransactionalRecordStore;
import io.oncegate.jdbc.JdbcRecordStore;
import io.oncegate.jdbc.SchemaException;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisRecordStore;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Which store an application gets. Nothing here needs a server: Redis is not asked before the first request. */
class StoreChoiceTest {
    private final ApplicationContextRunner application =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(OncegateAutoConfiguration.class));

    private final ApplicationContextRunner withDatabase = application
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
            .withPropertyValues("spring.datasource.generate-unique-name=true");

    @Test
    @DisplayName("C101: without a store the start is refused, and memory is not taken silently")
    void refusesToStartWithoutAStore() {
        application.run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(MissingStoreException.class)
                .hasMessageContaining("no store")
                .hasMessageContaining("oncegate.redis.uri")
                .hasMessageContaining("oncegate.store=memory"));
    }

    @Test
    void takesMemoryWhereItIsSaidAloud() {
        application
                .withPropertyValues("oncegate.store=memory")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(Oncegate.class)
                        .getBean(RecordStore.class)
                        .isInstanceOf(MemoryRecordStore.class));
    }

    @Test
    void takesTheRedisOfAnAddress() {
        application
                .withPropertyValues("oncegate.redis.uri=redis://127.0.0.1:1", "oncegate.redis.prefix=mine")
                .run(context -> {
                    assertThat(context).getBean(RecordStore.class).isInstanceOf(RedisRecordStore.class);
                    assertThat(context.getBean(RedisBackend.class).options().prefix())
                            .isEqualTo("mine");
                });
    }

    @Test
    void takesTheApplicationsOwnRedis() {
        application
                .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
                .run(context -> assertThat(context).getBean(RecordStore.class).isInstanceOf(RedisRecordStore.class));
    }

    @Test
    void namesNoPasswordOfAnAddressThatIsNone() {
        application
                .withPropertyValues("oncegate.redis.uri=radish://:secret@127.0.0.1")
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("oncegate.redis.uri");
                    for (Throwable t = context.getStartupFailure(); t != null; t = t.getCause()) {
                        assertThat(String.valueOf(t.getMessage())).doesNotContain("secret");
                    }
                });
    }

    @Test
    void showsNoPasswordOfAnAddress() {
        application
                .withPropertyValues("oncegate.redis.uri=redis://:open-sesame@127.0.0.1:1")
                .run(context -> assertThat(context.getBean(OncegateProperties.class))
                        .asString()
                        .doesNotContain("open-sesame"));
    }

    @Test
    void takesTheDatabaseAndBothModes() {
        withDatabase.withPropertyValues("oncegate.jdbc.create-schema=true").run(context -> {
            assertThat(context).getBean(RecordStore.class).isInstanceOf(JdbcRecordStore.class);
            assertThat(context).hasSingleBean(TransactionalRecordStore.class);
            assertThat(context).hasBean("claimedOncegate").hasBean("sameTransactionOncegate");
        });
    }

    @Test
    void refusesADatabaseWithoutTheTable() {
        withDatabase.run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("oncegate_record"));
    }

    @Test
    void leavesADatabaseAloneThatIsForOtherThings() {
        withDatabase
                .withPropertyValues("oncegate.redis.uri=redis://127.0.0.1:1", "oncegate.same-transaction.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(TransactionalRecordStore.class)
                        .getBean(RecordStore.class)
                        .isInstanceOf(RedisRecordStore.class));
    }

    @Test
    void refusesAStoreThatIsAskedForAndCannotBeHad() {
        application
                .withPropertyValues("oncegate.store=redis")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("oncegate.store=redis")
                        .hasMessageContaining("oncegate.redis.uri"));
        application
                .withPropertyValues("oncegate.store=jdbc")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("oncegate-jdbc")
                        .hasMessageContaining("DataSource"));
    }

    @Test
    void startsWithoutTheModulesThatAnApplicationLeavesOut() {
        application
                .withClassLoader(new FilteredClassLoader(
                        "io.oncegate.redis",
                        "io.oncegate.jdbc",
                        "io.lettuce",
                        "org.springframework.data",
                        "org.springframework.jdbc",
                        "org.springframework.transaction",
                        "org.springframework.web.servlet",
                        "org.springframework.web.reactive",
                        "org.springdoc"))
                .withPropertyValues("oncegate.store=memory")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(Oncegate.class));
    }

    @Test
    void keepsOutOfTheWayOfTheApplicationsOwnBeans() {
        MemoryRecordStore own = new MemoryRecordStore();
        application
                .withBean(RecordStore.class, () -> own)
                .run(context -> assertThat(context).getBean(RecordStore.class).isSameAs(own));
    }

    @Test
    void saysInSpringBootsOwnFormWhatToAdd() {
        var analysis = new MissingStoreFailureAnalyzer()
                .analyze(new MissingStoreException("has no store for its records", "Add one"));
        assertThat(analysis).isNotNull();
        assertThat(analysis.getDescription()).isEqualTo("Oncegate has no store for its records.");
        assertThat(analysis.getAction()).isEqualTo("Add one");
    }
}
