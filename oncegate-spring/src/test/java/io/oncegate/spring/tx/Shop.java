package io.oncegate.spring.tx;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.function.Supplier;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;

/** What a business looks like: transactional methods over JDBC and JPA. */
class Shop {
    static final String DDL = "CREATE TABLE payment (id VARCHAR(40) PRIMARY KEY, amount INT NOT NULL)";

    /** A payment whose id the application assigns. */
    @Entity
    @Table(name = "payment")
    static class Payment {
        @Id
        String id = "";

        int amount;

        protected Payment() {}

        Payment(String id, int amount) {
            this.id = id;
            this.amount = amount;
        }
    }

    static final class SoldOut extends RuntimeException {
        private static final long serialVersionUID = 1L;

        SoldOut(String message) {
            super(message);
        }
    }

    private final JdbcClient jdbc;
    private final EntityManager entities;

    Shop(JdbcClient jdbc, EntityManager entities) {
        this.jdbc = jdbc;
        this.entities = entities;
    }

    @Transactional
    public String pay(String id, int amount) {
        jdbc.sql("INSERT INTO payment VALUES (?, ?)").params(id, amount).update();
        return "paid " + id;
    }

    @Transactional
    public String payAndFail(String id, RuntimeException failure) {
        pay(id, 1);
        throw failure;
    }

    /** As a repository's save: an assigned id makes it a merge. */
    @Transactional
    public String save(String id, int amount) {
        entities.merge(new Payment(id, amount));
        return "saved " + amount;
    }

    @Transactional
    public String persistAndFail(String id, RuntimeException failure) {
        entities.persist(new Payment(id, 1));
        throw failure;
    }

    @Transactional
    public String persistTwice(String id) {
        entities.persist(new Payment(id, 1));
        entities.flush();
        entities.clear();
        entities.persist(new Payment(id, 2));
        return "never";
    }

    @Transactional
    public <T> T inTransaction(Supplier<T> work) {
        return work.get();
    }

    int payments() {
        return jdbc.sql("SELECT COUNT(*) FROM payment").query(Integer.class).single();
    }

    int payments(String id) {
        return jdbc.sql("SELECT COUNT(*) FROM payment WHERE id = ?")
                .param(id)
                .query(Integer.class)
                .single();
    }

    int amount(String id) {
        return jdbc.sql("SELECT amount FROM payment WHERE id = ?")
                .param(id)
                .query(Integer.class)
                .single();
    }
}
