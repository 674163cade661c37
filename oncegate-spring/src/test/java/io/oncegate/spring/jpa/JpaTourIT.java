package io.oncegate.spring.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.jdbc.Inserted;
import io.oncegate.jdbc.UniqueConstraint;
import io.oncegate.spring.orm.Purchase;
import io.oncegate.spring.orm.PurchaseTables;
import io.oncegate.spring.tx.FreshTransactions;
import io.oncegate.testsupport.Databases;
import jakarta.persistence.EntityManagerFactory;
import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.PlatformTransactionManager;

/** What the documentation shows. */
class JpaTourIT {
    @Test
    void insertsFirstAndUpdatesUnderTheVersion() {
        try (PurchaseTables tables = new PurchaseTables(Databases.H2, "READ_COMMITTED");
                JpaTool tool = new JpaTool(tables)) {
            tour(tool.factory, tool.manager());
            assertThat(tables.number("SELECT COUNT(*) FROM purchase WHERE amount = 12 AND version = 1"))
                    .isEqualTo(1);
        }
    }

    private static void tour(EntityManagerFactory entityManagerFactory, PlatformTransactionManager manager) {
        // snippet: insert-first
        JpaInsertFirst<Purchase> purchases = JpaInsertFirst.of(Purchase.class, entityManagerFactory, manager)
                .guard(UniqueConstraint.named("uk_request"), "userId", "requestId")
                .content("amount")
                .build();

        Inserted<Purchase> placed = purchases.insert(new Purchase("alice", "7f3c", "10.00"));
        Inserted<Purchase> again = purchases.insert(new Purchase("alice", "7f3c", "10.00")); // not first, the same row
        // end snippet
        assertThat(placed.first()).isTrue();
        assertThat(again.first()).isFalse();
        assertThat(again.row().getId()).isEqualTo(placed.row().getId());

        long id = again.row().getId();
        Long version = again.row().getVersion();
        BigDecimal amount = new BigDecimal("12.00");
        // snippet: version
        JpaVersionedUpdate<Purchase> updates = JpaVersionedUpdate.of(Purchase.class, entityManagerFactory);

        FreshTransactions fresh = new FreshTransactions(manager);
        Purchase raised = fresh.run(() -> updates.update(id, version, purchase -> purchase.setAmount(amount)));
        // end snippet
        assertThat(raised.getVersion()).isEqualTo(1);
    }
}
