package io.oncegate.spring.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StaleVersionException;
import io.oncegate.jdbc.RetryPolicy;
import io.oncegate.spring.orm.Purchase;
import io.oncegate.spring.orm.PurchaseTables;
import io.oncegate.spring.tx.FreshTransactions;
import io.oncegate.testsupport.Databases;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.hibernate.Session;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionTemplate;

class JpaVersionedUpdateIT {
    private PurchaseTables tables;
    private JpaTool tool;
    private JpaVersionedUpdate<Purchase> updates;

    private Purchase begin(Databases kind) {
        return begin(new PurchaseTables(kind, "READ_COMMITTED"));
    }

    private Purchase begin(PurchaseTables on) {
        tables = on;
        tool = new JpaTool(tables);
        updates = JpaVersionedUpdate.of(Purchase.class, tool.factory);
        return tool.insert(new Purchase("alice", "r-1", "10")).row();
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
        return inTransaction(() -> tool.entities.find(Purchase.class, id));
    }

    private static void add(Purchase to, String amount) {
        to.setAmount(to.getAmount().add(new BigDecimal(amount)));
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    @DisplayName("C52: of two who have read the same version the second one's save is a typed conflict")
    void theSecondSaveOfTheSameVersionIsAConflict(Databases kind) {
        long id = begin(kind).getId();
        Purchase one = read(id);
        Purchase other = read(id);
        add(one, "1");
        add(other, "2");

        assertThat(inTransaction(() -> updates.update(one)).getVersion()).isEqualTo(1);
        assertThatThrownBy(() -> inTransaction(() -> updates.update(other))).isInstanceOf(StaleVersionException.class);

        assertThat(read(id).getAmount()).isEqualByComparingTo("11");
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    @DisplayName("C52: a conflict that shows in the flush is the same, and the caller cannot commit past it")
    void aConflictInTheFlushIsTyped(Databases kind) {
        long id = begin(kind).getId();

        assertThatThrownBy(() -> inTransaction(() -> {
                    Purchase managed = tool.entities.find(Purchase.class, id);
                    tables.run("UPDATE purchase SET amount = 50, version = version + 1");
                    add(managed, "1");
                    assertThatThrownBy(() -> updates.update(managed)).isInstanceOf(StaleVersionException.class);
                    return managed;
                }))
                .isInstanceOf(UnexpectedRollbackException.class);

        assertThat(read(id).getAmount()).isEqualByComparingTo("50");
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    @DisplayName(
            "C52: what a database refuses because it is newer than the transaction's snapshot is the same conflict")
    void aRowNewerThanTheSnapshotIsAConflict(Databases kind) {
        long id = begin(PurchaseTables.withSnapshots(kind)).getId();

        assertThatThrownBy(() -> inTransaction(() -> {
                    Purchase managed = tool.entities.find(Purchase.class, id);
                    tables.run("UPDATE purchase SET amount = 50, version = version + 1");
                    add(managed, "1");
                    return updates.update(managed);
                }))
                .isInstanceOf(StaleVersionException.class);

        assertThat(read(id).getAmount()).isEqualByComparingTo("50");
    }

    @Test
    @DisplayName("C52: what JPA would not write, because the transaction is read-only, is refused and not lost")
    void aReadOnlyTransactionIsRefused() {
        long id = begin(Databases.H2).getId();
        TransactionTemplate reading = new TransactionTemplate(tool.manager());
        reading.setReadOnly(true);

        assertThatThrownBy(() -> reading.execute(status -> updates.update(id, 0L, p -> add(p, "1"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("read-only");
        assertThatThrownBy(() -> reading.execute(status -> {
                    Purchase managed = tool.entities.find(Purchase.class, id);
                    add(managed, "1");
                    return updates.update(managed);
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("read-only");
    }

    @Test
    void aReferenceIsUpdatedAsWhatItStandsFor() {
        long id = begin(Databases.H2).getId();
        tables.run("UPDATE purchase SET version = 4");

        Purchase updated = inTransaction(() -> {
            Purchase reference = tool.entities.getReference(Purchase.class, id);
            add(reference, "1");
            return updates.update(reference);
        });

        assertThat(updated.getVersion()).isEqualTo(5);
        assertThat(read(id).getAmount()).isEqualByComparingTo("11");
    }

    @Test
    @DisplayName("C55: a conflict that JPA throws itself, before the commit, is tried again too")
    void aConflictOfJpasOwnIsTriedAgain() {
        long id = begin(Databases.H2).getId();
        AtomicInteger tries = new AtomicInteger();

        new FreshTransactions(tool.manager()).run(() -> {
            Purchase purchase = tool.entities.find(Purchase.class, id);
            if (tries.incrementAndGet() == 1) {
                tables.run("UPDATE purchase SET version = version + 1");
            }
            add(purchase, "1");
            tool.entities.flush();
        });

        assertThat(tries).hasValue(2);
        assertThat(read(id).getAmount()).isEqualByComparingTo("11");
    }

    @Test
    @DisplayName("C54: a null or negative version, and a missing id, are refused and never inserted")
    void aVersionThatIsNoneIsRefused() {
        long id = begin(Databases.POSTGRESQL).getId();
        for (Long version : new Long[] {null, -1L}) {
            Purchase bare = new Purchase("bob", "r-9", "1");
            bare.setId(id);
            bare.setVersion(version);
            assertThatThrownBy(() -> inTransaction(() -> updates.update(bare)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> inTransaction(() -> updates.update(id, version, p -> add(p, "1"))))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        Purchase noId = new Purchase("bob", "r-9", "1");
        noId.setVersion(0L);
        assertThatThrownBy(() -> inTransaction(() -> updates.update(noId)))
                .isInstanceOf(IllegalArgumentException.class);
        Purchase gone = new Purchase("bob", "r-9", "1");
        gone.setId(id + 1000);
        gone.setVersion(0L);
        assertThatThrownBy(() -> inTransaction(() -> updates.update(gone)))
                .isInstanceOfSatisfying(
                        StaleVersionException.class, e -> assertThat(e.gone()).isTrue());

        assertThat(tables.number("SELECT COUNT(*) FROM purchase")).isEqualTo(1);
        assertThat(read(id).getVersion()).isZero();
    }

    @Test
    @DisplayName("C56: two updates in one transaction, and the version goes back with a rollback")
    void theVersionFollowsAndGoesBack() {
        long id = begin(Databases.MARIADB).getId();
        Purchase kept = inTransaction(() -> {
            Purchase first = updates.update(id, 0L, p -> add(p, "1"));
            assertThat(first.getVersion()).isEqualTo(1);
            add(first, "1");
            return updates.update(first);
        });
        assertThat(kept.getVersion()).isEqualTo(2);

        new TransactionTemplate(tool.manager()).executeWithoutResult(status -> {
            Purchase managed = updates.update(kept);
            add(managed, "1");
            assertThat(updates.update(managed).getVersion()).isEqualTo(3);
            status.setRollbackOnly();
            kept.setVersion(managed.getVersion());
            org.springframework.transaction.support.TransactionSynchronizationManager.registerSynchronization(
                    new org.springframework.transaction.support.TransactionSynchronization() {
                        @Override
                        public void afterCompletion(int outcome) {
                            kept.setVersion(managed.getVersion());
                        }
                    });
        });
        assertThat(kept.getVersion()).isEqualTo(2);
        assertThat(inTransaction(() -> updates.update(kept)).getVersion()).isEqualTo(2);
        assertThat(read(id).getAmount()).isEqualByComparingTo("12");
    }

    @Test
    @DisplayName("C56: after a savepoint that Hibernate does not know, a refresh puts the version right")
    void aRefreshPutsTheVersionRightAfterASavepoint() {
        long id = begin(Databases.POSTGRESQL).getId();

        inTransaction(() -> {
            Purchase managed = tool.entities.find(Purchase.class, id);
            tool.entities.unwrap(Session.class).doWork(connection -> {
                var savepoint = connection.setSavepoint();
                add(managed, "1");
                updates.update(managed);
                connection.rollback(savepoint);
            });
            tool.entities.refresh(managed);
            assertThat(managed.getVersion()).isZero();
            add(managed, "2");
            return updates.update(managed);
        });

        assertThat(read(id).getAmount()).isEqualByComparingTo("12");
        assertThat(read(id).getVersion()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("C55: twenty threads add 1 to the same row, each try in a fresh transaction: 20; not in an outer one")
    void twentyAddOneEach(Databases kind) throws Exception {
        long id = begin(kind).getId();
        FreshTransactions fresh = new FreshTransactions(
                tool.manager(), RetryPolicy.DEFAULT.withAttempts(1000).withinTime(Duration.ofMinutes(3)));
        ExecutorService threads = Executors.newFixedThreadPool(20);
        try {
            List<Future<?>> runs = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                boolean explicit = i % 2 == 0;
                runs.add(threads.submit(() -> fresh.run(() -> {
                    Purchase purchase = tool.entities.find(Purchase.class, id);
                    add(purchase, "1"); // half of them leave the write to the commit
                    return explicit ? updates.update(purchase) : purchase;
                })));
            }
            for (Future<?> run : runs) {
                run.get(4, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(read(id).getAmount()).isEqualByComparingTo("30");
        assertThat(read(id).getVersion()).isEqualTo(20);
        assertThatThrownBy(() -> inTransaction(() -> fresh.run(() -> read(id))))
                .isInstanceOf(IllegalStateException.class);
    }
}
