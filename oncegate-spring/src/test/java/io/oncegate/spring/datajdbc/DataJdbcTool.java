package io.oncegate.spring.datajdbc;

import io.oncegate.jdbc.Inserted;
import io.oncegate.jdbc.UniqueConstraint;
import io.oncegate.spring.orm.Purchase;
import io.oncegate.spring.orm.PurchaseTables;
import io.oncegate.spring.orm.Tool;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jdbc.core.JdbcAggregateTemplate;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Spring Data JDBC on the tables of the tests. */
final class DataJdbcTool implements Tool {
    final JdbcAggregateTemplate template;
    private final PurchaseTables tables;
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private final PlatformTransactionManager manager;
    private final DataJdbcInsertFirst<Purchase> purchases;

    @Configuration
    static class Config extends AbstractJdbcConfiguration {
        @Bean
        NamedParameterJdbcOperations operations(DataSource dataSource) {
            return new NamedParameterJdbcTemplate(dataSource);
        }

        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    DataJdbcTool(PurchaseTables tables) {
        this.tables = tables;
        context.registerBean(DataSource.class, tables::pool, bean -> bean.setDestroyMethodName(""));
        context.register(Config.class);
        context.refresh();
        template = context.getBean(JdbcAggregateTemplate.class);
        manager = context.getBean(PlatformTransactionManager.class);
        purchases = builder().waitUpTo(Duration.ofMinutes(2)).spareConnection().build();
    }

    private DataJdbcInsertFirst.Builder<Purchase> builder() {
        return DataJdbcInsertFirst.of(Purchase.class, template, tables.pool(), manager)
                .guard(UniqueConstraint.named("uk_request"), "userId", "requestId")
                .content("amount");
    }

    @Override
    public PlatformTransactionManager manager() {
        return manager;
    }

    @Override
    public Inserted<Purchase> insert(Purchase purchase) {
        return purchases.insert(purchase);
    }

    @Override
    public Inserted<Purchase> insertWithin(Duration lockWait, Purchase purchase) {
        return builder().waitUpTo(lockWait).build().insert(purchase);
    }

    @Override
    public void close() {
        context.close();
    }
}
