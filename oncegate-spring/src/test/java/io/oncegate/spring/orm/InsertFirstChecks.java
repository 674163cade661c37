package io.oncegate.spring.orm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.InProgressException;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.MismatchException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.jdbc.Inserted;
import io.oncegate.jdbc.SchemaException;
import io.oncegate.jdbc.UniqueConstraint;
import io.oncegate.spring.tx.FreshTransactions;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.Databases;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.transaction.support.TransactionTemplate;

/** What insert-first has to do with every mapping tool. */
public abstract class InsertFirstChecks {
    private static final int CALLERS = 64;
    private static final String READ_COMMITTED = "READ_COMMITTED";
    private static final String REPEATABLE_READ = "REPEATABLE_READ";

    /** The tables. */
    protected PurchaseTables tables;

    /** The tool on them. */
    protected Tool tool;

    /** The tool under test, on these tables. */
    protected abstract Tool tool(PurchaseTables on);

    /** Begins with a fresh database. */
    protected final void begin(Databases kind, String isolation) {
        tables = new PurchaseTables(kind, isolation);
        tool = tool(tables);
    }

    @AfterEach
    final void end() {
        if (tool != null) {
            tool.close();
        }
        if (tables != null) {
            tables.close();
        }
    }

    static Stream<Arguments> matrix() {
        return Stream.of(Databases.H2, Databases.POSTGRESQL, Databases.MARIADB)
                .flatMap(kind -> Stream.of(READ_COMMITTED, REPEATABLE_READ)
                        .flatMap(isolation ->
                                Stream.of(true, false).map(inside -> Arguments.of(kind, isolation, inside))));
    }

    @ParameterizedTest(name = "{0}, {1}, in a caller''s transaction: {2}")
    @MethodSource("matrix")
    void ofManyCallersOneIsFirstAndAllGetItsRow(Databases kind, String isolation, boolean inside) throws Exception {
        begin(kind, isolation);
        FreshTransactions callers = new FreshTransactions(tool.manager());
        ExecutorService threads = Executors.newFixedThreadPool(PurchaseTables.POOL);
        List<Future<Inserted<Purchase>>> answers = new ArrayList<>();
        try {
            for (int i = 0; i < CALLERS; i++) {
                String note = "caller-" + i;
                answers.add(threads.submit(() -> inside
                        ? callers.run(() -> {
                            tables.jdbc()
                                    .sql("SELECT COUNT(*) FROM note")
                                    .query(Long.class)
                                    .single();
                            Inserted<Purchase> answer = tool.insert(new Purchase("alice", "r-1", "10"));
                            tables.jdbc()
                                    .sql("INSERT INTO note (id) VALUES (?)")
                                    .param(note)
                                    .update();
                            return answer;
                        })
                        : tool.insert(new Purchase("alice", "r-1", "10"))));
            }
            long id = 0;
            int firsts = 0;
            for (Future<Inserted<Purchase>> answer : answers) {
                Inserted<Purchase> got = answer.get(4, TimeUnit.MINUTES);
                firsts += got.first() ? 1 : 0;
                id = id == 0 ? got.row().getId() : id;
                assertThat(got.row().getId()).isEqualTo(id);
                assertThat(got.row().getAmount()).isEqualByComparingTo("10");
            }
            assertThat(firsts).isEqualTo(1);
        } finally {
            threads.shutdownNow();
        }
        assertThat(tables.number("SELECT COUNT(*) FROM purchase")).isEqualTo(1);
        assertThat(tables.number("SELECT COUNT(*) FROM note")).isEqualTo(inside ? CALLERS : 0);
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    @DisplayName("C28: after a duplicate the caller's transaction is usable and commits")
    void afterADuplicateTheCallersTransactionCommits(Databases kind) {
        begin(kind, READ_COMMITTED);
        Purchase winner = tool.insert(new Purchase("alice", "r-1", "10.00")).row();

        Inserted<Purchase> again = inTransaction(() -> {
            tables.jdbc().sql("INSERT INTO note (id) VALUES ('before')").update();
            Inserted<Purchase> answer = tool.insert(new Purchase("alice", "r-1", "10"));
            tables.jdbc().sql("INSERT INTO note (id) VALUES ('after')").update();
            return answer;
        });

        assertThat(again.first()).isFalse();
        assertThat(again.row().getId()).isEqualTo(winner.getId());
        assertThat(tables.number("SELECT COUNT(*) FROM note")).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    void otherContentIsAMismatchAndTheTransactionStaysUsable(Databases kind) {
        begin(kind, READ_COMMITTED);
        tool.insert(new Purchase("alice", "r-1", "10"));

        inTransaction(() -> {
            assertThatThrownBy(() -> tool.insert(new Purchase("alice", "r-1", "11")))
                    .isInstanceOfSatisfying(
                            MismatchException.class, e -> assertThat(e.parts()).containsExactly("amount"))
                    .hasMessageNotContaining("r-1");
            return tables.jdbc().sql("INSERT INTO note (id) VALUES ('after')").update();
        });

        assertThatThrownBy(() -> tool.insert(new Purchase("alice", "r-1", "11")))
                .isInstanceOf(MismatchException.class);
        assertThat(tables.number("SELECT COUNT(*) FROM note")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    void whatTheGuardHasNotRefusedIsTheDatabasesErrorAndUndone(Databases kind) {
        begin(kind, READ_COMMITTED);

        inTransaction(() -> {
            assertThatThrownBy(() -> tool.insert(new Purchase("alice", "uk_request", "5000")))
                    .isNotInstanceOf(io.oncegate.core.error.OncegateException.class);
            assertThat(tool.insert(new Purchase("alice", "uk_request", "5")).first())
                    .isTrue();
            return tables.jdbc().sql("INSERT INTO note (id) VALUES ('after')").update();
        });

        assertThat(tables.number("SELECT COUNT(*) FROM purchase")).isEqualTo(1);
        assertThat(tables.number("SELECT COUNT(*) FROM note")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    void whereAnotherKeyIsInTheWayTooItIsARepetitionAllTheSame(Databases kind) {
        begin(kind, READ_COMMITTED);
        tables.run("ALTER TABLE purchase DROP CONSTRAINT uk_request");
        tables.run("ALTER TABLE purchase ADD CONSTRAINT uk_amount UNIQUE (amount)"); // databases come to it first
        tables.run("ALTER TABLE purchase ADD CONSTRAINT uk_request UNIQUE (user_id, request_id)");
        Purchase winner = tool.insert(new Purchase("alice", "r-1", "10")).row();
        tool.insert(new Purchase("alice", "r-2", "20"));
        Supplier<Inserted<Purchase>> again = () -> tool.insert(new Purchase("alice", "r-1", "10"));

        for (Inserted<Purchase> found : List.of(again.get(), inTransaction(again))) {
            assertThat(found.first()).isFalse();
            assertThat(found.row().getId()).isEqualTo(winner.getId());
        }
        inTransaction(() -> {
            assertThatThrownBy(() -> tool.insert(new Purchase("alice", "r-1", "20")))
                    .isInstanceOf(MismatchException.class);
            assertThatThrownBy(() -> tool.insert(new Purchase("alice", "r-3", "20")))
                    .satisfies(
                            e -> assertThat(UniqueConstraint.named("uk_amount").refused(e))
                                    .isTrue());
            return tables.jdbc().sql("INSERT INTO note (id) VALUES ('after')").update();
        });
        assertThatThrownBy(() -> tool.insert(new Purchase("alice", "r-3", "20")))
                .satisfies(e -> assertThat(UniqueConstraint.named("uk_amount").refused(e))
                        .isTrue());
        assertThat(tables.number("SELECT COUNT(*) FROM purchase")).isEqualTo(2);
        assertThat(tables.number("SELECT COUNT(*) FROM note")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    void inATransactionThatIsMarkedForRollbackNothingIsKept(Databases kind) {
        begin(kind, READ_COMMITTED);

        new TransactionTemplate(tool.manager()).executeWithoutResult(status -> {
            status.setRollbackOnly();
            assertThat(tool.insert(new Purchase("alice", "r-1", "10")).first()).isTrue();
            assertThat(tool.insert(new Purchase("alice", "r-1", "10")).first()).isFalse();
            assertThat(status.isRollbackOnly()).isTrue();
        });

        assertThat(tables.number("SELECT COUNT(*) FROM purchase")).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB", "MARIADB_MYSQL_DRIVER"})
    @DisplayName("C30: under REPEATABLE READ the winner is found although the snapshot is older")
    void findsAWinnerThatIsNewerThanTheSnapshot(Databases kind) {
        begin(kind, REPEATABLE_READ);

        Inserted<Purchase> answer = inTransaction(() -> {
            assertThat(tables.jdbc()
                            .sql("SELECT COUNT(*) FROM purchase")
                            .query(Long.class)
                            .single())
                    .isZero();
            tables.run(insertSql("10.00"));
            // MariaDB's locking reads need no spare connection.
            Inserted<Purchase> found = kind.name().startsWith("MARIADB")
                    ? tool.insertWithin(Duration.ofMinutes(1), new Purchase("alice", "r-1", "10"))
                    : tool.insert(new Purchase("alice", "r-1", "10"));
            tables.jdbc().sql("INSERT INTO note (id) VALUES ('after')").update();
            return found;
        });

        assertThat(answer.first()).isFalse();
        assertThat(answer.row().getId()).isEqualTo(tables.number("SELECT id FROM purchase"));
        assertThat(tables.number("SELECT COUNT(*) FROM note")).isEqualTo(1);
    }

    @Test
    @DisplayName("C30: with innodb_snapshot_isolation too, and the setting is as before")
    void findsItWithSnapshotIsolation() {
        begin(Databases.MARIADB, REPEATABLE_READ);

        inTransaction(() -> {
            tables.jdbc().sql("SET SESSION innodb_snapshot_isolation = ON").update();
            tables.jdbc().sql("SELECT COUNT(*) FROM purchase").query(Long.class).single();
            tables.run(insertSql("10.00"));
            assertThat(tool.insert(new Purchase("alice", "r-1", "10")).first()).isFalse();
            assertThat(tables.jdbc()
                            .sql("SELECT @@innodb_snapshot_isolation")
                            .query(Integer.class)
                            .single())
                    .isEqualTo(1);
            return tables.jdbc()
                    .sql("SET SESSION innodb_snapshot_isolation = OFF")
                    .update();
        });
    }

    @Test
    @DisplayName("C30: a winner that cannot be read is a typed error, never null, and the transaction is usable")
    void sayWhatToDoWhereTheWinnerIsHidden() {
        begin(Databases.POSTGRESQL, REPEATABLE_READ);

        inTransaction(() -> {
            tables.jdbc().sql("SELECT COUNT(*) FROM purchase").query(Long.class).single();
            tables.run(insertSql("10.00"));
            assertThatThrownBy(() -> tool.insertWithin(Duration.ofSeconds(5), new Purchase("alice", "r-1", "10")))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("spareConnection()");
            return tables.jdbc().sql("INSERT INTO note (id) VALUES ('after')").update();
        });

        assertThat(tables.number("SELECT COUNT(*) FROM note")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    @DisplayName("C39: an insert that waits for another open transaction ends in progress within its bound")
    void aTwinThatDoesNotEndIsInProgress(Databases kind) throws Exception {
        begin(kind, READ_COMMITTED);
        try (Connection twin = tables.database().connect();
                Statement statement = twin.createStatement()) {
            twin.setAutoCommit(false);
            statement.execute(insertSql("10.00"));

            inTransaction(() -> {
                assertThatThrownBy(() -> tool.insertWithin(Duration.ofSeconds(1), new Purchase("alice", "r-1", "10")))
                        .isInstanceOf(InProgressException.class);
                return tables.jdbc()
                        .sql("INSERT INTO note (id) VALUES ('after')")
                        .update();
            });
            assertThatThrownBy(() -> tool.insertWithin(Duration.ofSeconds(1), new Purchase("alice", "r-1", "10")))
                    .isInstanceOf(InProgressException.class);
            twin.rollback();
        }
        assertThat(tables.number("SELECT COUNT(*) FROM note")).isEqualTo(1);
    }

    @Test
    @DisplayName("C29: nobody sees the deadlock of several inserts behind one that rolls back")
    void nobodySeesTheDeadlockBehindARollback() throws Exception {
        begin(Databases.MARIADB, REPEATABLE_READ);
        ExecutorService threads = Executors.newFixedThreadPool(7);
        List<Future<Inserted<Purchase>>> answers = new ArrayList<>();
        try (Connection first = tables.database().connect();
                Statement statement = first.createStatement()) {
            first.setAutoCommit(false);
            statement.execute(insertSql("10.00"));
            for (int i = 0; i < 7; i++) {
                answers.add(threads.submit(
                        () -> tool.insertWithin(Duration.ofMinutes(1), new Purchase("alice", "r-1", "10"))));
            }
            Await.until(
                    "seven wait",
                    Duration.ofMinutes(1),
                    // The view is only renewed once nobody has read it for a while.
                    () -> tables.number("SELECT SLEEP(0.2)") == 0
                            && tables.number("SELECT COUNT(*) FROM information_schema.innodb_trx"
                                            + " WHERE trx_state = 'LOCK WAIT'")
                                    == 7);
            first.rollback();
            int firsts = 0;
            for (Future<Inserted<Purchase>> answer : answers) {
                firsts += answer.get(2, TimeUnit.MINUTES).first() ? 1 : 0;
            }
            assertThat(firsts).isEqualTo(1);
        } finally {
            threads.shutdownNow();
        }
        assertThat(tables.number("SELECT COUNT(*) FROM purchase")).isEqualTo(1);
    }

    @Test
    @DisplayName("C31: a collation never hands out another request's row")
    void aCollationNeverHandsOutAnotherRow() {
        begin(Databases.MARIADB, READ_COMMITTED);
        tables.run("ALTER TABLE purchase MODIFY request_id VARCHAR(40) CHARACTER SET utf8mb4"
                + " COLLATE utf8mb4_general_ci NOT NULL");
        tool.insert(new Purchase("alice", "abc", "10"));

        for (String other : List.of("ABC", "abc ", "äbc")) {
            assertThatThrownBy(() -> tool.insert(new Purchase("alice", other, "10")))
                    .isInstanceOf(SchemaException.class)
                    .hasMessageContaining("binary collation");
        }
    }

    @Test
    void aNullInTheGuardIsRefused() {
        begin(Databases.H2, READ_COMMITTED);

        assertThatThrownBy(() -> tool.insert(new Purchase(null, "r-1", "10"))).isInstanceOf(InvalidKeyException.class);
    }

    /** Works in a transaction that has to commit. */
    protected final <R> R inTransaction(Supplier<R> work) {
        return new TransactionTemplate(tool.manager()).execute(status -> work.get());
    }

    private static String insertSql(String amount) {
        return "INSERT INTO purchase (version, user_id, request_id, amount) VALUES (0, 'alice', 'r-1', " + amount + ")";
    }
}
