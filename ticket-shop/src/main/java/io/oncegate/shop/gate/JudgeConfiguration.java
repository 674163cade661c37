package io.oncegate.shop.gate;

import io.oncegate.core.Oncegate;
import io.oncegate.jackson.JacksonCodec;
import io.oncegate.jdbc.JdbcRecordStore;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import io.oncegate.spring.tx.SpringTransactionSource;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * The ladder of orders: Redis answers repetitions and keeps twins away, and the record in the database, in the transaction of
 * the order itself, judges. With Redis lost or away it is only slower.
 */
@Configuration(proxyBeanMethods = false)
class JudgeConfiguration {
    /** What the store waits for the database; with the pool's and the engine's waits a caller waits 5 s or so. */
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    @Bean(destroyMethod = "close")
    @DependsOnDatabaseInitialization
    Oncegate ladder(PausingRecordStore fast, DataSource dataSource, PlatformTransactionManager transactions) {
        JdbcSchema.of(dataSource).check();
        JdbcTransactionalRecordStore judge = JdbcTransactionalRecordStore.builder(
                        new SpringTransactionSource(transactions, dataSource))
                .timeout(TIMEOUT)
                .build();
        return Oncegate.ladder(fast, judge)
                .codec(new JacksonCodec())
                .settleFor(Duration.ofSeconds(1))
                .build();
    }

    /** The same table, seen by those who tidy up. */
    @Bean
    JdbcRecordStore recordTable(DataSource dataSource) {
        return JdbcRecordStore.builder(dataSource).timeout(TIMEOUT).build();
    }
}
