package io.oncegate.spring.mybatis;

import io.oncegate.jdbc.Inserted;
import io.oncegate.jdbc.UniqueConstraint;
import io.oncegate.spring.orm.Purchase;
import io.oncegate.spring.orm.PurchaseTables;
import io.oncegate.spring.orm.Tool;
import java.time.Duration;
import javax.sql.DataSource;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.mybatis.spring.SqlSessionTemplate;
import org.mybatis.spring.transaction.SpringManagedTransactionFactory;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** MyBatis on the tables of the tests. */
final class MyBatisTool implements Tool {
    final SqlSessionTemplate sessions;
    final SqlSessionTemplate batches;
    private final PlatformTransactionManager manager;
    private final MyBatisInsertFirst<PurchaseMapper, Purchase> purchases;

    MyBatisTool(PurchaseTables tables) {
        SqlSessionFactory factory = factory(tables.pool());
        sessions = template(factory, ExecutorType.SIMPLE, tables);
        batches = template(factory, ExecutorType.BATCH, tables);
        manager = new JdbcTransactionManager(tables.pool());
        purchases = builder(sessions)
                .waitUpTo(Duration.ofMinutes(2))
                .spareConnection()
                .build();
    }

    private static SqlSessionFactory factory(DataSource pool) {
        Configuration configuration =
                new Configuration(new Environment("test", new SpringManagedTransactionFactory(), pool));
        configuration.setMapUnderscoreToCamelCase(true);
        configuration.addMapper(PurchaseMapper.class);
        configuration.addInterceptor(new VersionedStatements());
        return new SqlSessionFactoryBuilder().build(configuration);
    }

    /** Whose executor keeps prepared statements. */
    SqlSessionTemplate reusing(DataSource pool) {
        return new SqlSessionTemplate(factory(pool), ExecutorType.REUSE);
    }

    private static SqlSessionTemplate template(SqlSessionFactory factory, ExecutorType type, PurchaseTables tables) {
        return new SqlSessionTemplate(factory, type, VersionedStatements.translator(tables.pool()));
    }

    MyBatisInsertFirst.Builder<PurchaseMapper, Purchase> builder(SqlSessionTemplate template) {
        // snippet: insert-first
        return MyBatisInsertFirst.of(PurchaseMapper.class, Purchase.class, template, manager)
                .insert(PurchaseMapper::insert)
                .find((mapper, purchase) -> mapper.byRequest(purchase.getUserId(), purchase.getRequestId()))
                .guard(UniqueConstraint.named("uk_request"))
                .key("userId", Purchase::getUserId)
                .key("requestId", Purchase::getRequestId)
                .content("amount", Purchase::getAmount);
        // end snippet
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
        return builder(sessions).waitUpTo(lockWait).build().insert(purchase);
    }

    @Override
    public void close() {
        // nothing of its own
    }
}
