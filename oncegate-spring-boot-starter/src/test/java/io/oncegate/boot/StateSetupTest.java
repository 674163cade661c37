package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.state.Fired;
import io.oncegate.core.state.StateEvent;
import io.oncegate.core.state.StateMachine;
import io.oncegate.jdbc.JdbcStateMachine;
import io.oncegate.jdbc.SchemaException;
import io.oncegate.jdbc.StateHistory;
import io.oncegate.jdbc.StateTable;
import io.oncegate.jdbc.TransactionSource;
import io.oncegate.spring.state.StateService;
import io.oncegate.testsupport.Await;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;

/** What the starter does for state machines. */
class StateSetupTest {
    enum Door {
        SHUT,
        OPEN
    }

    enum Push {
        OPEN
    }

    private static final StateMachine<Door, Push> MACHINE = StateMachine.named("door", Door.class, Push.class)
            .initial(Door.SHUT)
            .transition(Door.SHUT, Push.OPEN, Door.OPEN)
            .end(Door.OPEN)
            .build();

    private static final StateTable TABLE = StateTable.of("door", "id", "state", "version");

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    OncegateAutoConfiguration.class,
                    StateAutoConfiguration.class))
            .withPropertyValues(
                    "spring.datasource.generate-unique-name=true",
                    "oncegate.store=memory",
                    "oncegate.same-transaction.enabled=false");

    private final ApplicationContextRunner created = application.withPropertyValues("oncegate.jdbc.create-schema=true");

    @Configuration(proxyBeanMethods = false)
    static class Service {
        @Bean
        StateService<Door, Push> doors(PlatformTransactionManager manager, DataSource source) {
            return StateService.of(MACHINE, TABLE, manager, source);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Plain {
        @Bean
        JdbcStateMachine<Door, Push> doors(DataSource source) {
            return JdbcStateMachine.of(MACHINE, TABLE, TransactionSource.of(source));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnHistory {
        @Bean
        StateHistory history() {
            return StateHistory.of("door_events");
        }
    }

    @Test
    void needsNoTableWhereThereIsNoMachine() {
        application.run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void refusesToStartWithoutTheHistoryOfItsMachines() {
        for (ApplicationContextRunner signed : new ApplicationContextRunner[] {
            application.withUserConfiguration(Service.class),
            application.withUserConfiguration(Plain.class),
            application.withPropertyValues("oncegate.states.history-retention=90d")
        }) {
            signed.run(context -> assertThat(context)
                    .getFailure()
                    .rootCause()
                    .isInstanceOf(SchemaException.class)
                    .hasMessageContaining("oncegate_state_history")
                    .hasMessageContaining("states-h2.sql"));
        }
        application
                .withUserConfiguration(Plain.class, OwnHistory.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(SchemaException.class)
                        .hasMessageContaining("door_events"));
    }

    @Test
    void createsTheHistoryInTests() {
        created.withUserConfiguration(Service.class).run(context -> {
            JdbcClient jdbc = doors(context);
            assertThat(service(context).fire("front", StateEvent.of(Push.OPEN, "e")))
                    .isInstanceOf(Fired.Applied.class);
            assertThat(events(jdbc, "oncegate_state_history")).isEqualTo(1);
        });
        created.withUserConfiguration(OwnHistory.class)
                .run(context -> assertThat(events(JdbcClient.create(context.getBean(DataSource.class)), "door_events"))
                        .isZero());
    }

    @Test
    void removesOldEventsOnlyWhereARetentionIsSet() {
        ApplicationContextRunner cleaning =
                created.withUserConfiguration(Service.class).withPropertyValues("oncegate.purge.interval=1s");
        cleaning.withPropertyValues("oncegate.states.history-retention=1d").run(context -> {
            JdbcClient jdbc = aged(context);
            Await.until(
                    "the old event has gone", Duration.ofMinutes(1), () -> events(jdbc, "oncegate_state_history") == 1);
            assertThat(jdbc.sql("SELECT entity_key FROM oncegate_state_history")
                            .query(byte[].class)
                            .single())
                    .asString()
                    .isEqualTo("back");
        });
        cleaning.run(context -> {
            assertThat(context).hasSingleBean(JdbcStates.class).doesNotHaveBean(RecordCleaner.class);
        });
    }

    @Test
    void refusesToForgetEventsTooSoon() {
        created.withPropertyValues("oncegate.states.history-retention=1h")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("oncegate.states.history-retention"));
    }

    @Test
    void needsNoModuleThatAnApplicationLeavesOut() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(OncegateAutoConfiguration.class, StateAutoConfiguration.class))
                .withPropertyValues("oncegate.store=memory")
                .withClassLoader(new FilteredClassLoader(
                        "io.oncegate.jdbc", "org.springframework.jdbc", "org.springframework.transaction"))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @SuppressWarnings("unchecked")
    private static StateService<Door, Push> service(ApplicationContext context) {
        return context.getBean(StateService.class);
    }

    private static JdbcClient doors(ApplicationContext context) {
        JdbcClient jdbc = JdbcClient.create(context.getBean(DataSource.class));
        jdbc.sql("CREATE TABLE door (id VARCHAR(9) PRIMARY KEY, state VARCHAR(9) NOT NULL, version INT NOT NULL)")
                .update();
        jdbc.sql("INSERT INTO door VALUES ('front', 'SHUT', 0), ('back', 'SHUT', 0)")
                .update();
        return jdbc;
    }

    /** With an event of two days ago and one of now. */
    private static JdbcClient aged(ApplicationContext context) {
        JdbcClient jdbc = doors(context);
        StateService<Door, Push> doors = service(context);
        doors.fire("front", StateEvent.of(Push.OPEN, "e"));
        jdbc.sql("UPDATE oncegate_state_history SET fired_at = fired_at - ?")
                .param(Duration.ofDays(2).toNanos() / 1000)
                .update();
        doors.fire("back", StateEvent.of(Push.OPEN, "e"));
        return jdbc;
    }

    private static long events(JdbcClient jdbc, String table) {
        return jdbc.sql("SELECT COUNT(*) FROM " + table).query(Long.class).single();
    }
}
