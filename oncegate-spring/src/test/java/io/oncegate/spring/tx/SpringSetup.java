package io.oncegate.spring.tx;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.Oncegate;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.TestDatabase;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** A fresh database with a Spring context on it, and same-transaction mode in Spring's transactions. */
final class SpringSetup implements AutoCloseable {
    final TestDatabase database;
    final HikariDataSource pool;
    final PlatformTransactionManager manager;
    final Shop shop;
    final Oncegate oncegate;
    private final AnnotationConfigApplicationContext context;

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class Common {
        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setPackagesToScan(Shop.class.getPackageName());
            factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "none"));
            return factory;
        }

        @Bean
        Shop shop(DataSource dataSource, EntityManagerFactory factory) {
            EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
            return new Shop(JdbcClient.create(dataSource), entities);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Jpa {
        @Bean
        PlatformTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Jdbc {
        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    SpringSetup(Databases kind, boolean jpa, int poolSize) throws Exception {
        database = kind.fresh();
        pool = database.pool(poolSize, true);
        JdbcSchema.of(pool).create();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(Shop.DDL);
        }
        context = new AnnotationConfigApplicationContext();
        context.registerBean(DataSource.class, () -> pool, bean -> bean.setDestroyMethodName(""));
        context.register(Common.class, jpa ? Jpa.class : Jdbc.class);
        context.refresh();
        manager = context.getBean(PlatformTransactionManager.class);
        shop = context.getBean(Shop.class);
        oncegate = Oncegate.sameTransaction(judge()).build();
    }

    JdbcTransactionalRecordStore judge() {
        return JdbcTransactionalRecordStore.builder(new SpringTransactionSource(manager, pool))
                .build();
    }

    /** A ladder in Spring's transactions; the caller closes it. */
    Oncegate ladder(RecordStore fast) {
        return Oncegate.ladder(fast, judge()).build();
    }

    int records() throws Exception {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT COUNT(*) FROM oncegate_record")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    @Override
    public void close() {
        oncegate.close();
        context.close();
        database.close();
    }
}
