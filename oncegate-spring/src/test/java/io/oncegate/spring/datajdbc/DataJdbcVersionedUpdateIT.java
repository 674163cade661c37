package io.oncegate.spring.datajdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StaleVersionException;
import io.oncegate.spring.orm.Purchase;
import io.oncegate.spring.orm.PurchaseTables;
import io.oncegate.testsupport.Databases;
import java.math.BigDecimal;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

class DataJdbcVersionedUpdateIT {
    private PurchaseTables tables;
    private DataJdbcTool tool;
    private DataJdbcVersionedUpdate<Purchase> updates;

    /** Without setters: each update makes another one. */
    @Table("NOTE")
    record Text(@Id String id, @Version Long version, String text) {}

    private long begin(Databases kind) {
        return begin(new PurchaseTables(kind, "READ_COMMITTED"));
    }

    private long begin(PurchaseTables on) {
        tables = on;
        tool = new DataJdbcTool(tables);
        updates = DataJdbcVersionedUpdate.of(Purchase.class, tool.template);
        return tool.insert(new Purchase("alice", "r-1", "10")).row().getId();
    }

    @AfterEach
    void end() {
        tool.close();
        tables.close();
    }

    private <R> R inTransaction(Supplier<R> work) {
        return new TransactionTemplate(tool.manager()).execute(status -> work.get());
    }

    private Purchase read(long id) {
        return inTransaction(() -> tool.template.findById(id, Purchase.class));
    }

    private Purchase changed(Purchase purchase, String amount) {
        purchase.setAmount(new BigDecimal(amount));
        return purchase;
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    @DisplayName("C52: the second save of a version is a typed conflict, and its object keeps its version")
    void theSecondSaveIsAConflict(Databases kind) {
        long id = begin(kind);
        Purchase one = changed(read(id), "11");
        Purchase other = changed(read(id), "12");

        assertThat(inTransaction(() -> updates.update(one)).getVersion()).isEqualTo(1);
        assertThatThrownBy(() -> inTransaction(() -> updates.update(other))).isInstanceOf(StaleVersionException.class);

        assertThat(other.getVersion()).isZero();
        assertThat(read(id).getAmount()).isEqualByComparingTo("11");
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    @DisplayName(
            "C52: what a database refuses because it is newer than the transaction's snapshot is the same conflict")
    void aRowNewerThanTheSnapshotIsAConflict(Databases kind) {
        long id = begin(PurchaseTables.withSnapshots(kind));

        assertThatThrownBy(() -> inTransaction(() -> {
                    Purchase purchase = tool.template.findById(id, Purchase.class);
                    tables.run("UPDATE purchase SET amount = 50, version = version + 1");
                    return updates.update(changed(purchase, "12"));
                }))
                .isInstanceOf(StaleVersionException.class);

        assertThat(read(id).getAmount()).isEqualByComparingTo("50");
    }

    @Test
    @DisplayName("C54: without a version it is no new aggregate, but refused")
    void aVersionThatIsNoneIsRefused() {
        Purchase purchase = read(begin(Databases.POSTGRESQL));
        for (Long version : new Long[] {null, -1L}) {
            purchase.setVersion(version);
            assertThatThrownBy(() -> inTransaction(() -> updates.update(purchase)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        Purchase noId = new Purchase("bob", "r-2", "1");
        noId.setVersion(0L);
        assertThatThrownBy(() -> inTransaction(() -> updates.update(noId)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(tables.number("SELECT COUNT(*) FROM purchase WHERE version = 0"))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    @DisplayName("C56: the version follows each success, and goes back with a rollback and to a savepoint")
    void theVersionFollowsAndGoesBack(Databases kind) {
        Purchase purchase = read(begin(kind));
        inTransaction(() -> {
            updates.update(changed(purchase, "11"));
            updates.update(changed(purchase, "12"));
            TransactionTemplate nested = new TransactionTemplate(tool.manager());
            nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
            nested.executeWithoutResult(status -> {
                updates.update(changed(purchase, "50"));
                status.setRollbackOnly();
            });
            assertThat(purchase.getVersion()).isEqualTo(2);
            return updates.update(changed(purchase, "13"));
        });
        new TransactionTemplate(tool.manager()).executeWithoutResult(status -> {
            updates.update(changed(purchase, "60"));
            status.setRollbackOnly();
        });

        assertThat(purchase.getVersion()).isEqualTo(3);
        assertThat(tables.number("SELECT COUNT(*) FROM purchase WHERE amount = 13 AND version = 3"))
                .isEqualTo(1);
    }

    @Test
    void anImmutableAggregateIsReturnedWithItsNewVersion() {
        begin(Databases.H2);
        DataJdbcVersionedUpdate<Text> texts = DataJdbcVersionedUpdate.of(Text.class, tool.template);
        tables.run("INSERT INTO note (id, version, text) VALUES ('n-1', 4, 'old')");

        Text updated = inTransaction(() -> texts.update(new Text("n-1", 4L, "new")));

        assertThat(updated.version()).isEqualTo(5);
        assertThatThrownBy(() -> inTransaction(() -> texts.update(new Text("n-1", 4L, "newer"))))
                .isInstanceOf(StaleVersionException.class);
    }
}
