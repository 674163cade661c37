package io.oncegate.boot;

import io.oncegate.jdbc.JdbcStateMachine;
import io.oncegate.jdbc.StateHistory;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * The history of state machines, where the application has some: a {@code StateService}, {@link JdbcStateMachine} or {@link
 * StateHistory} bean, or {@code oncegate.states.history-retention}. Its table is looked at before the application starts.
 */
@AutoConfiguration(after = OncegateAutoConfiguration.class)
@ConditionalOnClass({StateHistory.class, DataSource.class})
@ConditionalOnSingleCandidate(DataSource.class)
public final class StateAutoConfiguration {
    @Bean
    @Conditional(Wanted.class)
    @DependsOnDatabaseInitialization
    JdbcStates oncegateStates(DataSource source, OncegateProperties properties, ObjectProvider<StateHistory> own) {
        return new JdbcStates(source, own.getIfAvailable(StateHistory::of), properties.jdbc());
    }

    /** Only where it is wanted: what has been removed is not known as a repetition any more. */
    @Bean(destroyMethod = "close")
    @ConditionalOnProperty("oncegate.states.history-retention")
    RecordCleaner oncegateStateCleaner(JdbcStates states, OncegateProperties properties) {
        return states.cleaner(Objects.requireNonNull(properties.states().historyRetention()), properties.purge());
    }

    /** A sign that there are state machines. */
    static final class Wanted extends AnyNestedCondition {
        Wanted() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnBean(JdbcStateMachine.class)
        static final class Machine {}

        @ConditionalOnBean(type = "io.oncegate.spring.state.StateService")
        static final class Service {}

        @ConditionalOnBean(StateHistory.class)
        static final class History {}

        @ConditionalOnProperty("oncegate.states.history-retention")
        static final class Retention {}
    }
}
