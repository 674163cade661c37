package io.oncegate.spring.mybatis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.jdbc.Inserted;
import io.oncegate.spring.orm.Purchase;
import io.oncegate.spring.orm.PurchaseTables;
import io.oncegate.testsupport.Databases;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.transaction.support.TransactionTemplate;

/** The caches and executors of MyBatis around an insert-first. */
class MyBatisCachesIT {
    private PurchaseTables tables;
    private MyBatisTool tool;

    private void begin(Databases kind, String isolation) {
        tables = new PurchaseTables(kind, isolation);
        tool = new MyBatisTool(tables);
    }

    @AfterEach
    void end() {
        tables.close();
    }

    private <R> R inTransaction(Supplier<R> work) {
        return new TransactionTemplate(tool.manager()).execute(status -> work.get());
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("C30: neither cache answers the look-up of the winner, and the caller's has learnt of it afterwards")
    void noCacheAnswersForTheWinner(Databases kind) {
        begin(kind, "READ_COMMITTED");
        PurchaseMapper mapper = tool.sessions.getMapper(PurchaseMapper.class);
        assertThat(mapper.byRequest("alice", "r-1")).isNull(); // now the second level has "nothing"

        inTransaction(() -> {
            assertThat(mapper.byRequest("alice", "r-1")).isNull(); // and the first level
            tables.run("INSERT INTO purchase (version, user_id, request_id, amount) VALUES (0, 'alice', 'r-1', 10)");
            Inserted<Purchase> found = tool.insert(new Purchase("alice", "r-1", "10"));
            assertThat(found.first()).isFalse();
            assertThat(found.row().getId()).isNotNull();
            assertThat(mapper.byId(found.row().getId())).isNotNull();
            return found;
        });
    }

    @Test
    void aCacheThatTheInsertDoesNotClearDoesNotAnswerForTheWinner() {
        begin(Databases.POSTGRESQL, "READ_COMMITTED");
        tool.insert(new Purchase("alice", "r-1", "10"));
        PurchaseMapper mapper = tool.sessions.getMapper(PurchaseMapper.class);
        assertThat(mapper.byRequest("alice", "r-1").getAmount()).isEqualByComparingTo("10"); // the second level has it
        tables.run("UPDATE purchase SET amount = 12");
        MyBatisInsertFirst<PurchaseMapper, Purchase> pastTheCache = tool.builder(tool.sessions)
                .insert(PurchaseMapper::insertPastTheCache)
                .build();
        Purchase again = new Purchase("alice", "r-1", "12");

        assertThat(pastTheCache.insert(again).first()).isFalse();
        assertThat(inTransaction(() -> pastTheCache.insert(again)).first()).isFalse();
    }

    @Test
    void aStatementThatIgnoresTheDuplicateIsTakenForOne() {
        begin(Databases.MARIADB, "REPEATABLE_READ");
        MyBatisInsertFirst<PurchaseMapper, Purchase> ignoring =
                tool.builder(tool.sessions).insert(PurchaseMapper::insertIgnore).build();

        assertThat(ignoring.insert(new Purchase("alice", "r-1", "10")).first()).isTrue();
        assertThat(ignoring.insert(new Purchase("alice", "r-1", "10")).first()).isFalse();
        assertThat(inTransaction(() -> ignoring.insert(new Purchase("alice", "r-1", "10")))
                        .first())
                .isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    void withTheBatchExecutorItIsSentAtOnceAndPendingStatementsStay(Databases kind) {
        begin(kind, "READ_COMMITTED");
        MyBatisInsertFirst<PurchaseMapper, Purchase> batched =
                tool.builder(tool.batches).build();
        tool.insert(new Purchase("alice", "r-1", "10"));

        inTransaction(() -> {
            tool.batches.getMapper(PurchaseMapper.class).insert(new Purchase("alice", "r-2", "20"));
            assertThat(batched.insert(new Purchase("alice", "r-1", "10")).first())
                    .isFalse();
            Inserted<Purchase> fresh = batched.insert(new Purchase("alice", "r-3", "30"));
            assertThat(fresh.first()).isTrue();
            assertThat(fresh.row().getId()).isNotNull();
            return fresh;
        });

        assertThat(tables.number("SELECT COUNT(*) FROM purchase")).isEqualTo(3);
    }

    @Test
    void aLookUpThatGoesByOtherColumnsIsATypedErrorAndNeverNull() {
        begin(Databases.POSTGRESQL, "READ_COMMITTED");
        tool.insert(new Purchase("alice", "r-1", "10"));
        MyBatisInsertFirst<PurchaseMapper, Purchase> wrong = tool.builder(tool.sessions)
                .find((mapper, purchase) -> mapper.byId(-1))
                .build();

        assertThatThrownBy(() -> wrong.insert(new Purchase("alice", "r-1", "10")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("uk_request");
        assertThatThrownBy(() -> inTransaction(() -> wrong.insert(new Purchase("alice", "r-1", "10"))))
                .isInstanceOf(StoreUnavailableException.class);
    }
}
