package io.oncegate.spring.mybatis;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.jdbc.Inserted;
import io.oncegate.spring.orm.Purchase;
import io.oncegate.spring.orm.PurchaseTables;
import io.oncegate.testsupport.Databases;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.transaction.support.TransactionTemplate;

/** An insert-first within an insert-first. */
class MyBatisNestedIT {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "H2 | SET LOCK_TIMEOUT 33000 | SELECT LOCK_TIMEOUT() | 33000",
                "POSTGRESQL | SET LOCAL lock_timeout = '33s' | SELECT current_setting('lock_timeout') | 33s",
                "MARIADB | SET SESSION innodb_lock_wait_timeout = 33 | SELECT @@innodb_lock_wait_timeout | 33"
            })
    void eachTakesBackWhatIsItsOwn(Databases kind, String set, String read, String expected) {
        try (PurchaseTables tables = new PurchaseTables(kind, "READ_COMMITTED")) {
            MyBatisTool tool = new MyBatisTool(tables);
            AtomicReference<String> innerRequest = new AtomicReference<>("r-1");
            MyBatisInsertFirst<PurchaseMapper, Purchase> outer = tool.builder(tool.sessions)
                    .insert((mapper, row) -> {
                        Inserted<Purchase> inner =
                                tool.insertWithin(Duration.ofSeconds(11), new Purchase("bob", innerRequest.get(), "1"));
                        assertThat(inner.first()).isTrue();
                        assertThat(tool.insert(new Purchase("bob", innerRequest.get(), "1"))
                                        .first())
                                .isFalse();
                        return mapper.insert(row);
                    })
                    .waitUpTo(Duration.ofSeconds(22))
                    .build();

            new TransactionTemplate(tool.manager()).executeWithoutResult(status -> {
                tables.jdbc().sql(set).update();
                assertThat(outer.insert(new Purchase("alice", "r-1", "10")).first())
                        .isTrue();
                innerRequest.set("r-2");
                assertThat(outer.insert(new Purchase("alice", "r-1", "10")).first())
                        .as("refused, and what came within it is undone")
                        .isFalse();
                assertThat(tables.jdbc().sql(read).query(String.class).single()).isEqualTo(expected);
                assertThat(outer.insert(new Purchase("alice", "r-2", "10")).first())
                        .isTrue();
            });

            assertThat(tables.number("SELECT COUNT(*) FROM purchase WHERE request_id = 'r-1'"))
                    .isEqualTo(2);
            assertThat(tables.number("SELECT COUNT(*) FROM purchase WHERE request_id = 'r-2'"))
                    .isEqualTo(2);
        }
    }
}
