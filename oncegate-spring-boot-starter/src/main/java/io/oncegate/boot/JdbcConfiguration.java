package io.oncegate.boot;

import io.oncegate.core.spi.TransactionalRecordStore;
import io.oncegate.jdbc.JdbcRecordStore;
import io.oncegate.spring.tx.SpringTransactionSource;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;

/** The application's database as a store. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({JdbcRecordStore.class, DataSource.class})
@ConditionalOnSingleCandidate(DataSource.class)
class JdbcConfiguration {
    /** Not made, and so not checked, before somebody wants it: an application may have a database for other things. */
    @Bean
    @Lazy
    @DependsOnDatabaseInitialization
    JdbcRecords oncegateJdbcRecords(DataSource source, OncegateProperties properties) {
        return new JdbcRecords(source, properties.jdbc(), properties.purge());
    }

    @Bean
    StoreSource oncegateJdbcSource(ObjectProvider<JdbcRecords> records) {
        return new StoreSource(StoreKind.JDBC, () -> records.getObject().claimed());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({PlatformTransactionManager.class, DataSourceUtils.class})
    @ConditionalOnSingleCandidate(PlatformTransactionManager.class)
    @ConditionalOnProperty(name = "oncegate.same-transaction.enabled", matchIfMissing = true)
    static class SameTransaction {
        @Bean
        @ConditionalOnMissingBean
        TransactionalRecordStore oncegateTransactionalRecordStore(
                JdbcRecords records, PlatformTransactionManager transactions, DataSource source) {
            return records.transactional(new SpringTransactionSource(transactions, source));
        }
    }
}
