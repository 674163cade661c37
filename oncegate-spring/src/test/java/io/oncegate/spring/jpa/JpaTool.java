package io.oncegate.spring.jpa;

import io.oncegate.jdbc.Inserted;
import io.oncegate.jdbc.UniqueConstraint;
import io.oncegate.spring.orm.Purchase;
import io.oncegate.spring.orm.PurchaseTables;
import io.oncegate.spring.orm.Tool;
import io.oncegate.testsupport.Databases;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;

/** Hibernate on the tables of the tests. */
final class JpaTool implements Tool {
    final EntityManagerFactory factory;
    final EntityManager entities;
    private final LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
    private final JpaTransactionManager manager;
    private final JpaInsertFirst<Purchase> purchases;

    JpaTool(PurchaseTables tables) {
        this(tables, Map.of());
    }

    /** With these properties of Hibernate's. */
    JpaTool(PurchaseTables tables, Map<String, Object> more) {
        bean.setDataSource(tables.pool());
        bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        bean.setPackagesToScan(Purchase.class.getPackageName(), JpaTool.class.getPackageName());
        Map<String, Object> properties = new HashMap<>(more);
        if (tables.database().kind() == Databases.MARIADB_MYSQL_DRIVER) {
            properties.put("hibernate.dialect", "org.hibernate.dialect.MariaDBDialect");
        }
        bean.setJpaPropertyMap(properties);
        bean.afterPropertiesSet();
        factory = bean.getObject();
        entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
        manager = new JpaTransactionManager(factory);
        manager.afterPropertiesSet();
        purchases = builder().waitUpTo(Duration.ofMinutes(2)).spareConnection().build();
    }

    JpaInsertFirst.Builder<Purchase> builder() {
        return JpaInsertFirst.of(Purchase.class, factory, manager)
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
        bean.destroy();
    }
}
