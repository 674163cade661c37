package io.oncegate.spring.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.MismatchException;
import io.oncegate.jdbc.Inserted;
import io.oncegate.jdbc.SchemaException;
import io.oncegate.jdbc.UniqueConstraint;
import io.oncegate.spring.orm.Purchase;
import io.oncegate.spring.orm.PurchaseTables;
import io.oncegate.testsupport.Databases;
import java.util.Map;
import java.util.function.Supplier;
import org.hibernate.Session;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.transaction.support.TransactionTemplate;

/** The caller's persistence context around an insert-first. */
class JpaContextIT {
    private PurchaseTables tables;
    private JpaTool tool;

    private void begin(Databases kind, String isolation) {
        tables = new PurchaseTables(kind, isolation);
        tool = new JpaTool(tables);
    }

    @AfterEach
    void end() {
        tool.close();
        tables.close();
    }

    private <R> R inTransaction(Supplier<R> work) {
        return new TransactionTemplate(tool.manager()).execute(status -> work.get());
    }

    private JpaInsertFirst<Note> notes() {
        return JpaInsertFirst.of(Note.class, tool.factory, tool.manager())
                .guard(UniqueConstraint.primaryKey("note"), "id")
                .content("text")
                .build();
    }

    @ParameterizedTest
    @CsvSource({
        "H2, false, false",
        "POSTGRESQL, false, false",
        "POSTGRESQL, true, false",
        "POSTGRESQL, true, true",
        "MARIADB, false, true",
        "MARIADB, true, true"
    })
    @DisplayName("C35: an entity with an assigned id is inserted, never merged, whatever version it carries")
    void anAssignedIdIsInsertedAndNeverUpdates(Databases kind, boolean inside, boolean versioned) {
        begin(kind, "READ_COMMITTED");
        JpaInsertFirst<Note> notes = JpaInsertFirst.of(Note.class, tool.factory, tool.manager())
                .guard(UniqueConstraint.primaryKey("note"), "id")
                .keyAlone()
                .build();
        Supplier<Inserted<Note>> first = () -> notes.insert(new Note("n-1", "first"));
        Supplier<Inserted<Note>> second = () -> {
            Note again = new Note("n-1", "second");
            again.version(versioned ? 0L : null);
            return notes.insert(again);
        };

        assertThat((inside ? inTransaction(first) : first.get()).first()).isTrue();
        Inserted<Note> repeated = inside ? inTransaction(second) : second.get();

        assertThat(repeated.first()).isFalse();
        assertThat(repeated.row().text()).isEqualTo("first");
        assertThat(tables.number("SELECT COUNT(*) FROM note WHERE text = 'first' AND version = 0"))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    void whatIsReturnedIsManagedAndPendingChangesAreKept(Databases kind) {
        begin(kind, "READ_COMMITTED");
        notes().insert(new Note("n-1", "old"));
        tool.insert(new Purchase("alice", "r-1", "10"));

        inTransaction(() -> {
            Note pending = tool.entities.find(Note.class, "n-1");
            pending.text("pending");
            tool.entities.persist(new Note("n-2", "new"));

            Inserted<Purchase> twin = tool.insert(new Purchase("alice", "r-1", "10"));
            Inserted<Purchase> fresh = tool.insert(new Purchase("alice", "r-2", "20"));

            assertThat(tool.entities.contains(twin.row())).isTrue();
            assertThat(tool.entities.contains(fresh.row())).isTrue();
            assertThat(tool.entities.contains(pending)).isTrue();
            twin.row().setAmount(new java.math.BigDecimal("11"));
            fresh.row().setAmount(new java.math.BigDecimal("21"));
            return pending;
        });

        assertThat(tables.number("SELECT COUNT(*) FROM note WHERE text IN ('pending', 'new')"))
                .isEqualTo(2);
        assertThat(tables.number("SELECT COUNT(*) FROM purchase WHERE amount IN (11, 21)"))
                .isEqualTo(2);
    }

    @Test
    void underAManualFlushNothingIsWrittenThatTheCallerHoldsBack() {
        begin(Databases.POSTGRESQL, "READ_COMMITTED");
        tool.insert(new Purchase("alice", "r-1", "10"));
        Purchase held = tool.insert(new Purchase("alice", "r-2", "10")).row();

        inTransaction(() -> {
            tool.entities.unwrap(Session.class).setHibernateFlushMode(org.hibernate.FlushMode.MANUAL);
            Purchase changed = tool.entities.find(Purchase.class, held.getId());
            changed.setAmount(new java.math.BigDecimal("99"));

            assertThat(tool.insert(new Purchase("alice", "r-1", "10")).first()).isFalse();
            assertThat(tool.insert(new Purchase("alice", "r-2", "10")).row()).isSameAs(changed);
            assertThat(changed.getAmount()).isEqualByComparingTo("99");
            return changed;
        });

        assertThat(tables.number("SELECT COUNT(*) FROM purchase WHERE amount = 99"))
                .isZero();
    }

    @Test
    @DisplayName("C30: a stale copy in the persistence context does not answer for the winner")
    void aStaleCopyDoesNotAnswer() {
        begin(Databases.MARIADB, "REPEATABLE_READ");
        Purchase winner = tool.insert(new Purchase("alice", "r-1", "10")).row();
        JpaInsertFirst<Purchase> byKey = JpaInsertFirst.of(Purchase.class, tool.factory, tool.manager())
                .guard(UniqueConstraint.named("uk_request"), "userId", "requestId")
                .keyAlone()
                .build();

        inTransaction(() -> {
            Purchase copy = tool.entities.find(Purchase.class, winner.getId());
            tables.run("UPDATE purchase SET amount = 12, version = version + 1");

            Purchase found = byKey.insert(new Purchase("alice", "r-1", "10")).row();

            assertThat(found).isSameAs(copy);
            assertThat(found.getAmount()).isEqualByComparingTo("12");
            assertThat(found.getVersion()).isEqualTo(1);
            return found;
        });
    }

    @Test
    void theSameInstanceMayBeInsertedAfterAFailure() {
        begin(Databases.POSTGRESQL, "READ_COMMITTED");
        Purchase purchase = new Purchase("alice", "r-1", "5000");

        assertThatThrownBy(() -> tool.insert(purchase)).isInstanceOf(RuntimeException.class);
        assertThat(purchase.getId()).isNull();
        purchase.setAmount(new java.math.BigDecimal("5"));

        assertThat(tool.insert(purchase).first()).isTrue();
    }

    @Test
    void anUnknownAttributeAndAMissingContentAreRefusedWhenBuilt() {
        begin(Databases.H2, "READ_COMMITTED");

        assertThatThrownBy(() -> tool.builder().content("amuont")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> JpaInsertFirst.of(Note.class, tool.factory, tool.manager())
                        .guard(UniqueConstraint.primaryKey("note"), "id")
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("keyAlone");
    }

    @ParameterizedTest
    @CsvSource({
        "H2, ''",
        "POSTGRESQL, reWriteBatchedInserts=true",
        "MARIADB, useBulkStmts=true",
        "MARIADB_MYSQL_DRIVER, rewriteBatchedStatements=true"
    })
    void aBatchOfHibernatesIsRefusedLikeASingleInsert(Databases kind, String parameters) {
        tables = new PurchaseTables(kind, "READ_COMMITTED", parameters);
        tool = new JpaTool(tables, Map.of("hibernate.jdbc.batch_size", 20, "hibernate.order_inserts", true));
        notes().insert(new Note("n-1", "x' for key 'uk_request"));

        inTransaction(() -> {
            tool.entities.persist(new Note("n-0", "pending"));
            assertThat(notes().insert(new Note("n-1", "x' for key 'uk_request")).first())
                    .isFalse();
            assertThatThrownBy(() -> notes().insert(new Note("n-1", "other"))).isInstanceOf(MismatchException.class);
            tool.entities.persist(new Note("n-2", "pending"));
            return notes().insert(new Note("n-3", "new"));
        });

        assertThat(tables.number("SELECT COUNT(*) FROM note")).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    void theGuardIsCheckedByTheColumnsOfItsAttributes(Databases kind) {
        begin(kind, "READ_COMMITTED");
        JpaInsertFirst<Purchase> purchases = tool.builder().build();
        if (kind == Databases.MARIADB) {
            assertThatThrownBy(purchases::check)
                    .isInstanceOf(SchemaException.class)
                    .hasMessageContaining("compares request_id by");
            tables.run("ALTER TABLE purchase CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin");
        }
        purchases.check();
        assertThatThrownBy(JpaInsertFirst.of(Purchase.class, tool.factory, tool.manager())
                        .guard(UniqueConstraint.named("uk_request"), "requestId")
                        .keyAlone()
                        .build()::check)
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("and not request_id");
    }
}
