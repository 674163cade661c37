package io.oncegate.boot;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;

/**
 * The engines and their stores. Beans of the application come first: a {@code RecordStore}, a {@code RedisBackend}, a
 * {@code ResultCodec}, a {@code TransactionalRecordStore}, or engines by the names {@code claimedOncegate},
 * {@code sameTransactionOncegate} and {@code ladderOncegate}. Without any store the start is refused.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration"
        })
@EnableConfigurationProperties(OncegateProperties.class)
@Import({
    RedisConfiguration.class,
    JdbcConfiguration.class,
    EngineConfiguration.class,
    LadderConfiguration.class,
    LadderForgetConfiguration.class,
    MissingLadderConfiguration.class
})
public final class OncegateAutoConfiguration {}
