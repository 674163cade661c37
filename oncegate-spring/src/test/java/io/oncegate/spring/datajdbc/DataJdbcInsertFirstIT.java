package io.oncegate.spring.datajdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.jdbc.Inserted;
import io.oncegate.jdbc.SchemaException;
import io.oncegate.jdbc.UniqueConstraint;
import io.oncegate.spring.orm.InsertFirstChecks;
import io.oncegate.spring.orm.Purchase;
import io.oncegate.spring.orm.PurchaseTables;
import io.oncegate.spring.orm.Tool;
import io.oncegate.testsupport.Databases;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

class DataJdbcInsertFirstIT extends InsertFirstChecks {
    @Table("NOTE")
    record Text(@Id String id, String text) {}

    @Override
    protected Tool tool(PurchaseTables on) {
        return new DataJdbcTool(on);
    }

    @Test
    @DisplayName("C35: an aggregate with an assigned id is inserted, never updated")
    void anAssignedIdIsInsertedAndNeverUpdates() {
        begin(Databases.H2, "READ_COMMITTED");
        DataJdbcInsertFirst<Text> texts = DataJdbcInsertFirst.of(
                        Text.class, ((DataJdbcTool) tool).template, tables.pool(), tool.manager())
                .guard(UniqueConstraint.primaryKey("note"), "id")
                .keyAlone()
                .build();

        assertThat(texts.insert(new Text("n-1", "first")).first()).isTrue();
        Inserted<Text> outside = texts.insert(new Text("n-1", "second"));
        Inserted<Text> inside = inTransaction(() -> texts.insert(new Text("n-1", "third")));

        assertThat(outside.first()).isFalse();
        assertThat(inside.first()).isFalse();
        assertThat(inside.row().text()).isEqualTo("first");
        assertThat(tables.number("SELECT COUNT(*) FROM note WHERE text = 'first'"))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    void theGuardIsCheckedByTheColumnsOfItsProperties(Databases kind) {
        begin(kind, "READ_COMMITTED");
        if (kind == Databases.MARIADB) {
            tables.run("ALTER TABLE purchase CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin");
        }
        DataJdbcInsertFirst.Builder<Purchase> purchases = DataJdbcInsertFirst.of(
                        Purchase.class, ((DataJdbcTool) tool).template, tables.pool(), tool.manager())
                .keyAlone();
        purchases
                .guard(UniqueConstraint.named("uk_request"), "userId", "requestId")
                .build()
                .check();
        assertThatThrownBy(purchases
                        .guard(UniqueConstraint.named("uk_requests"), "userId", "requestId")
                        .build()::check)
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("not there");
    }
}
