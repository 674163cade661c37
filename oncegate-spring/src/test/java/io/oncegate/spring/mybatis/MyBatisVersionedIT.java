package io.oncegate.spring.mybatis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StaleVersionException;
import io.oncegate.jdbc.RetryPolicy;
import io.oncegate.spring.orm.Purchase;
import io.oncegate.spring.orm.PurchaseTables;
import io.oncegate.testsupport.Databases;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.mybatis.spring.SqlSessionTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Statements marked as versioned. */
class MyBatisVersionedIT {
    private PurchaseTables tables;
    private MyBatisTool tool;
    private PurchaseMapper mapper;
    private PurchaseMapper batch;

    private long begin(Databases kind) {
        return begin(new PurchaseTables(kind, "READ_COMMITTED"));
    }

    private long begin(PurchaseTables on) {
        tables = on;
        tool = new MyBatisTool(tables);
        mapper = tool.sessions.getMapper(PurchaseMapper.class);
        batch = tool.batches.getMapper(PurchaseMapper.class);
        return tool.insert(new Purchase("alice", "r-1", "10")).row().getId();
    }

    @AfterEach
    void end() {
        tables.close();
    }

    private <R> R inTransaction(Supplier<R> work) {
        return new TransactionTemplate(tool.manager()).execute(status -> work.get());
    }

    /** Past MyBatis's caches, which would hand out one instance to two. */
    private Purchase read(long id) {
        Purchase purchase = new Purchase("alice", "r-1", "0");
        purchase.setId(id);
        purchase.setVersion(tables.number("SELECT version FROM purchase WHERE id = " + id));
        return purchase;
    }

    private static void amount(Purchase of, String amount) {
        of.setAmount(new BigDecimal(amount));
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB", "MARIADB_MYSQL_DRIVER"})
    @DisplayName("C52: a statement that matches no row is a typed conflict, also in a batch")
    void aStatementThatMatchesNoRowIsAConflict(Databases kind) {
        long id = begin(kind);
        Purchase one = read(id);
        Purchase other = read(id);
        amount(one, "11");
        amount(other, "12");

        inTransaction(() -> mapper.update(one));
        assertThatThrownBy(() -> inTransaction(() -> mapper.update(other)))
                .isInstanceOf(StaleVersionException.class)
                .hasMessageContaining("PurchaseMapper.update");
        assertThatThrownBy(() -> inTransaction(() -> mapper.setAmount(other, 13)))
                .isInstanceOf(StaleVersionException.class);

        // Nobody flushes here: it is sent with the commit.
        assertThatThrownBy(() -> inTransaction(() -> batch.update(other))).isInstanceOf(StaleVersionException.class);
        // Sent by a query.
        assertThatThrownBy(() -> inTransaction(() -> {
                    batch.update(other);
                    return batch.byId(id);
                }))
                .isInstanceOf(StaleVersionException.class);
        // One of two; the other one is rolled back with it.
        Purchase current = read(id);
        amount(current, "14");
        assertThatThrownBy(() -> inTransaction(() -> {
                    batch.update(current);
                    batch.update(other);
                    return tool.batches.flushStatements();
                }))
                .isInstanceOfSatisfying(
                        StaleVersionException.class,
                        e -> assertThat(e.rows().get(0).position()).isEqualTo(1));

        assertThat(tables.number("SELECT COUNT(*) FROM purchase WHERE amount = 11 AND version = 1"))
                .isEqualTo(1);
        assertThat(current.getVersion()).isEqualTo(1);
        assertThat(other.getVersion()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    @DisplayName(
            "C52: what a database refuses because it is newer than the transaction's snapshot is the same conflict")
    void aRowNewerThanTheSnapshotIsAConflict(Databases kind) {
        long id = begin(PurchaseTables.withSnapshots(kind));

        assertThatThrownBy(() -> changeBehind(id, mapper)).isInstanceOf(StaleVersionException.class);
        // MyBatis does not say which row of a batch it was.
        assertThatThrownBy(() -> changeBehind(id, batch))
                .satisfies(e -> assertThat(RetryPolicy.mayRepeat(e)).isTrue());

        assertThat(tables.number("SELECT COUNT(*) FROM purchase WHERE amount = 12 AND version = 2"))
                .isEqualTo(1);
    }

    private int changeBehind(long id, PurchaseMapper by) {
        return inTransaction(() -> {
            Purchase purchase = by.byId(id);
            tables.run("UPDATE purchase SET amount = amount + 1, version = version + 1");
            return by.update(purchase);
        });
    }

    @Test
    @DisplayName("C54: a statement that does not ask for the version is refused before it overwrites anything")
    void aStatementThatDoesNotAskForTheVersionIsRefused() {
        long id = begin(Databases.H2);
        Purchase purchase = read(id);

        assertThatThrownBy(() -> inTransaction(() -> mapper.updateBlindly(purchase)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("AND version = #{version}");
        assertThat(tables.number("SELECT version FROM purchase")).isZero();
        assertThat(inTransaction(() -> mapper.updateBound(purchase))).isEqualTo(1);
    }

    @Test
    void aVersionRisesAsTheTypeThatItHas() {
        begin(Databases.H2);
        tables.run("INSERT INTO note (id, version, text) VALUES ('n', 7, 'old')");
        inTransaction(() -> {
            ShortNote note = new ShortNote();
            assertThat(mapper.updateNote(note)).isEqualTo(1);
            assertThat(note.version).isEqualTo((short) 8);
            for (Number version : new Number[] {8, 9L, BigInteger.TEN, new BigDecimal(11)}) {
                Map<String, Object> parameter = new HashMap<>(Map.of("id", "n", "text", "new", "version", version));
                assertThat(mapper.updateNote(parameter)).isEqualTo(1);
                assertThat(parameter.get("version"))
                        .hasSameClassAs(version)
                        .hasToString(String.valueOf(version.longValue() + 1));
            }
            return 0;
        });
        for (Number version : new Number[] {Short.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE, 1.0}) {
            tables.run("UPDATE note SET version = " + version.longValue());
            assertThatThrownBy(() -> inTransaction(
                            () -> mapper.updateNote(Map.of("id", "n", "text", "newer", "version", version))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageMatching("the version of .*(no next one|0 or more, and not " + Long.MAX_VALUE + ").*");
        }
        assertThat(tables.number("SELECT COUNT(*) FROM note WHERE text = 'newer'"))
                .isZero();
    }

    /** With a narrow version. */
    static final class ShortNote {
        final String id = "n";
        final String text = "new";
        Short version = 7;
    }

    @Test
    void anExecutorThatReusesItsStatementsKeepsThem() {
        long id = begin(Databases.H2);
        CountedStatements counted = new CountedStatements(tables.pool());
        PurchaseMapper reusing = tool.reusing(counted.source).getMapper(PurchaseMapper.class);

        new TransactionTemplate(new JdbcTransactionManager(counted.source)).execute(status -> {
            for (int i = 0; i < 3; i++) {
                reusing.version(id + i);
            }
            return null;
        });

        assertThat(counted.prepared).hasValue(1);
    }

    @Test
    @DisplayName("C52: a driver that does not tell a batch's counts is refused")
    void aDriverThatDoesNotTellCountsIsRefused() {
        long id = begin(new PurchaseTables(Databases.MARIADB, "READ_COMMITTED", "useBulkStmts=true"));
        Purchase stale = read(id);
        long other = tool.insert(new Purchase("alice", "r-2", "20")).row().getId();
        tables.run("UPDATE purchase SET version = 1 WHERE id = " + id);

        assertThatThrownBy(() -> inTransaction(() -> {
                    batch.update(stale);
                    return batch.update(read(other));
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("useBulkStmts");
        assertThat(tables.number("SELECT version FROM purchase WHERE id = " + other))
                .isZero();
    }

    @Test
    @DisplayName("C54: a null, negative or missing version is refused before the database is asked")
    void aVersionThatIsNoneIsRefused() {
        long id = begin(Databases.POSTGRESQL);
        Purchase purchase = read(id);
        for (Long version : new Long[] {null, -1L}) {
            purchase.setVersion(version);
            assertThatThrownBy(() -> inTransaction(() -> mapper.update(purchase)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("version");
            assertThatThrownBy(() -> inTransaction(() -> batch.update(purchase)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(tables.number("SELECT version FROM purchase")).isZero();
    }

    @Test
    void aStatementThatMatchesSeveralRowsIsRefused() {
        long id = begin(Databases.H2);
        tool.insert(new Purchase("alice", "r-2", "10"));

        assertThatThrownBy(() -> inTransaction(() -> mapper.updateTooMany(read(id))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("2 rows");
        assertThat(tables.number("SELECT COUNT(*) FROM purchase WHERE version = 0"))
                .isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    @DisplayName("C56: the version follows each success, and goes back with a rollback and to a savepoint")
    void theVersionFollowsAndGoesBack(Databases kind) {
        long id = begin(kind);
        Purchase purchase = read(id);
        inTransaction(() -> {
            amount(purchase, "11");
            mapper.update(purchase);
            amount(purchase, "12");
            return mapper.update(purchase);
        });
        assertThat(purchase.getVersion()).isEqualTo(2);

        inTransaction(() -> {
            mapper.update(purchase);
            TransactionTemplate nested = new TransactionTemplate(tool.manager());
            nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
            nested.executeWithoutResult(status -> {
                mapper.setAmount(purchase, 50);
                assertThat(purchase.getVersion()).isEqualTo(4);
                status.setRollbackOnly();
            });
            assertThat(purchase.getVersion()).isEqualTo(3);
            return mapper.setAmount(purchase, 13);
        });
        assertThat(purchase.getVersion()).isEqualTo(4);

        new TransactionTemplate(tool.manager()).executeWithoutResult(status -> {
            mapper.setAmount(purchase, 60);
            status.setRollbackOnly();
        });
        assertThat(purchase.getVersion()).isEqualTo(4);
        assertThat(tables.number("SELECT COUNT(*) FROM purchase WHERE amount = 13 AND version = 4"))
                .isEqualTo(1);
    }

    @Test
    void withoutTheTranslatorTheConflictIsTheCause() {
        long id = begin(Databases.H2);
        Purchase stale = read(id);
        tables.run("UPDATE purchase SET version = 7");
        SqlSessionTemplate plain = new SqlSessionTemplate(tool.sessions.getSqlSessionFactory());

        assertThatThrownBy(() -> inTransaction(
                        () -> plain.getMapper(PurchaseMapper.class).update(stale)))
                .hasRootCauseInstanceOf(StaleVersionException.class);
    }
}
