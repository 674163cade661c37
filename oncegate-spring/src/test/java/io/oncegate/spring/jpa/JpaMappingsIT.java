package io.oncegate.spring.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.MismatchException;
import io.oncegate.jdbc.Inserted;
import io.oncegate.jdbc.UniqueConstraint;
import io.oncegate.spring.orm.Purchase;
import io.oncegate.spring.orm.PurchaseTables;
import io.oncegate.testsupport.Databases;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionTemplate;

/** Embedded ids, cascades and references in an insert-first. */
class JpaMappingsIT {
    private PurchaseTables tables;
    private JpaTool tool;
    private JpaInsertFirst<Basket> baskets;

    @BeforeEach
    void begin() {
        tables = new PurchaseTables(Databases.POSTGRESQL, "READ_COMMITTED");
        Basket.POSTGRES_DDL.forEach(tables::run);
        tool = new JpaTool(tables);
        baskets = JpaInsertFirst.of(Basket.class, tool.factory, tool.manager())
                .guard(UniqueConstraint.primaryKey("basket"), "id.userId", "id.requestId")
                .content("note")
                .build();
    }

    @AfterEach
    void end() {
        tool.close();
        tables.close();
    }

    private <R> R inTransaction(Supplier<R> work) {
        return new TransactionTemplate(tool.manager()).execute(status -> work.get());
    }

    @Test
    void whatItCascadesToIsInsertedOnceWithIt() {
        baskets.check();
        Basket basket = new Basket("alice", "r-1", null, "a", "b");
        assertThat(baskets.insert(basket).first()).isTrue();
        assertThat(baskets.insert(new Basket("alice", "r-1", null, "c")).first())
                .isFalse();
        int lines = inTransaction(() -> {
            assertThat(baskets.insert(new Basket("alice", "r-2", null, "d")).first())
                    .isTrue();
            Inserted<Basket> again = baskets.insert(new Basket("alice", "r-1", null, "e", "f"));
            assertThat(again.first()).isFalse();
            return again.row().lines().size();
        });

        assertThat(lines).isEqualTo(2);
        assertThat(tables.number("SELECT COUNT(*) FROM basket")).isEqualTo(2);
        assertThat(tables.number("SELECT COUNT(*) FROM line WHERE sku IN ('a', 'b', 'd')"))
                .isEqualTo(3);
        assertThat(tables.number("SELECT COUNT(*) FROM line")).isEqualTo(3);
    }

    @Test
    void itMayPointToWhatTheCallerHasNotFlushed() {
        Inserted<Basket> first = inTransaction(() -> {
            Note pending = new Note("n-1", "gift");
            tool.entities.persist(pending);
            Inserted<Basket> inserted = baskets.insert(new Basket("alice", "r-1", pending, "a"));
            assertThat(inserted.row().note()).isSameAs(pending);
            return inserted;
        });

        assertThat(first.first()).isTrue();
        assertThat(tables.number("SELECT COUNT(*) FROM basket WHERE note_id = 'n-1'"))
                .isEqualTo(1);
        assertThatThrownBy(() -> baskets.insert(new Basket("alice", "r-1", null, "a")))
                .isInstanceOf(MismatchException.class);
    }

    @Test
    void anEntityThatHasBeenStoredBeforeIsRefusedAndNotChanged() {
        Purchase stored = tool.insert(new Purchase("alice", "r-1", "10")).row();
        stored.setRequestId("r-2");

        assertThatThrownBy(() -> tool.insert(stored))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("stored before");

        assertThat(stored.getId()).isNotNull();
        assertThat(tables.number("SELECT COUNT(*) FROM purchase WHERE request_id = 'r-1'"))
                .isEqualTo(1);
        assertThat(tables.number("SELECT COUNT(*) FROM purchase")).isEqualTo(1);
    }
}
