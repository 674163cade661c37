package io.oncegate.spring.state;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.state.StateMachine;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.jdbc.StateTable;
import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.TestDatabase;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
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
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

/** Doors in a fresh database, whose state a service moves; a pool of one connection, and a listener for after the commit. */
final class StateSetup implements AutoCloseable {
    enum Door {
        SHUT,
        OPEN,
        GONE
    }

    enum Push {
        OPEN,
        CLOSE,
        REMOVE
    }

    static final StateMachine<Door, Push> MACHINE = StateMachine.named("door", Door.class, Push.class)
            .initial(Door.SHUT)
            .transition(Door.SHUT, Push.OPEN, Door.OPEN)
            .transition(Door.OPEN, Push.CLOSE, Door.SHUT)
            .transition(Door.SHUT, Push.REMOVE, Door.GONE)
            .end(Door.GONE)
            .build();

    /** A door, as JPA has it. */
    @Entity
    @Table(name = "door")
    static class DoorRow {
        @Id
        String id = "";

        @Column(name = "state", updatable = false)
        String state = Door.SHUT.name();

        @Column(name = "version", updatable = false)
        long version;

        protected DoorRow() {}

        DoorRow(String id) {
            this.id = id;
        }
    }

    /** Is told after the commit. */
    static class Listener {
        private final List<StateChanged> heard;

        Listener(List<StateChanged> heard) {
            this.heard = heard;
        }

        @TransactionalEventListener
        void hear(StateChanged changed) {
            heard.add(changed);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Common {}

    @Configuration(proxyBeanMethods = false)
    static class Jpa {
        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setPackagesToScan(StateSetup.class.getPackageName());
            factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "none"));
            return factory;
        }

        @Bean
        PlatformTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }

        @Bean
        EntityManager entities(EntityManagerFactory factory) {
            return SharedEntityManagerCreator.createSharedEntityManager(factory);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Jdbc {
        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    final TestDatabase database;
    final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    final List<StateChanged> heard = new CopyOnWriteArrayList<>();
    final TransactionTemplate transaction;
    final StateService<Door, Push> doors;
    final EntityManager entities;
    private final JdbcClient jdbc;

    StateSetup(Databases kind, boolean jpa) {
        database = kind.fresh();
        HikariDataSource pool = database.pool(1, true);
        jdbc = JdbcClient.create(pool);
        JdbcSchema.states(pool).create();
        jdbc.sql("CREATE TABLE door (id VARCHAR(40) PRIMARY KEY, state VARCHAR(20) NOT NULL, version BIGINT NOT NULL)")
                .update();
        jdbc.sql("CREATE TABLE note (text VARCHAR(40) NOT NULL)").update();
        context.registerBean(DataSource.class, () -> pool, bean -> bean.setDestroyMethodName(""));
        context.registerBean(Listener.class, () -> new Listener(heard));
        context.register(Common.class, jpa ? Jpa.class : Jdbc.class);
        context.refresh();
        PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
        transaction = new TransactionTemplate(manager);
        // snippet: service
        StateService<Door, Push> doors =
                StateService.of(MACHINE, StateTable.of("door", "id", "state", "version"), manager, pool);
        // end snippet
        this.doors = doors;
        entities = jpa ? context.getBean("entities", EntityManager.class) : null;
    }

    void door(String id) {
        jdbc.sql("INSERT INTO door VALUES (?, 'SHUT', 0)").param(id).update();
    }

    void note(String text) {
        jdbc.sql("INSERT INTO note VALUES (?)").param(text).update();
    }

    int notes() {
        return jdbc.sql("SELECT COUNT(*) FROM note").query(Integer.class).single();
    }

    @Override
    public void close() {
        context.close();
        database.close();
    }
}
