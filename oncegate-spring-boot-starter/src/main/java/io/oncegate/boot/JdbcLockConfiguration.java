package io.oncegate.boot;

import io.oncegate.jdbc.FenceTable;
import io.oncegate.jdbc.JdbcLockStore;
import io.oncegate.spring.tx.OpenTransactions;
import io.oncegate.spring.tx.SpringFences;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Locks and fences in the application's database. No table is needed, and none is checked, before somebody uses it. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({JdbcLockStore.class, DataSource.class})
@ConditionalOnSingleCandidate(DataSource.class)
class JdbcLockConfiguration {
    /** Whether the calling thread has a transaction open that holds a connection. */
    record CallerTransactions(BooleanSupplier open) {}

    @Bean
    @Lazy
    @DependsOnDatabaseInitialization
    JdbcLocks oncegateJdbcLocks(
            DataSource source, OncegateProperties properties, ObjectProvider<CallerTransactions> transactions) {
        CallerTransactions known = transactions.getIfAvailable();
        return new JdbcLocks(source, properties, known == null ? () -> false : known.open());
    }

    @Bean
    LocksSource oncegateJdbcLocksSource(ObjectProvider<JdbcLocks> locks) {
        return new LocksSource(
                LockStoreKind.JDBC,
                listeners -> LocksChoice.leased(locks.getObject().store(), listeners));
    }

    @Bean
    @Lazy
    @DependsOnDatabaseInitialization
    JdbcFences oncegateJdbcFences(DataSource source, OncegateProperties properties) {
        return new JdbcFences(source, properties);
    }

    @Bean
    @Lazy
    @ConditionalOnMissingBean
    FenceTable oncegateFenceTable(JdbcFences fences) {
        return fences.table();
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({JdbcTemplate.class, TransactionSynchronizationManager.class})
    static class InSpringsTransactions {
        @Bean
        CallerTransactions oncegateCallerTransactions(DataSource source) {
            return new CallerTransactions(OpenTransactions.on(source));
        }

        @Bean
        @Lazy
        @ConditionalOnMissingBean
        SpringFences oncegateSpringFences(DataSource source, FenceTable table) {
            return new SpringFences(source, table);
        }
    }
}
