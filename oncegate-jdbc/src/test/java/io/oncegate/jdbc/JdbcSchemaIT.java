package io.oncegate.jdbc;

import static io.oncegate.jdbc.Requests.granted;
import static io.oncegate.jdbc.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StoreUnavailableException;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the start-up check finds. */
class JdbcSchemaIT {
    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aTableFromTheResourceIsAccepted(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            assertThatCode(JdbcSchema.of(open.small)::check).doesNotThrowAnyException();
            JdbcSchema other = JdbcSchema.of(open.small, "orders_once");
            other.create();
            other.check();
            JdbcRecordStore store =
                    JdbcRecordStore.builder(open.small).table("orders_once").build();
            assertThat(store.name()).isEqualTo("jdbc:orders_once");
            granted(store, request("k"));
            assertThat(open.number("SELECT COUNT(*) FROM orders_once")).isEqualTo(1);
            assertThatThrownBy(other::create).isInstanceOf(StoreUnavailableException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whatIsMissingIsNamedWithTheResource(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            DataSource source = open.small;
            assertThatThrownBy(JdbcSchema.of(source, "nowhere")::check)
                    .isInstanceOf(SchemaException.class)
                    .hasMessageContaining("nowhere")
                    .hasMessageContaining("no such table");
            JdbcSchema schema = JdbcSchema.of(source);
            open.execute("ALTER TABLE oncegate_record DROP COLUMN result_until");
            assertThatThrownBy(schema::check)
                    .isInstanceOf(SchemaException.class)
                    .hasMessageContaining("lacks the column result_until;")
                    .hasMessageContaining("io/oncegate/jdbc/schema-");
            open.execute(
                    setup.mysqlFamily()
                            ? "DROP INDEX oncegate_record_due ON oncegate_record"
                            : "DROP INDEX oncegate_record_due");
            assertThatThrownBy(schema::check).hasMessageContaining("an index that begins with due_at");
            open.execute(
                    setup.postgres()
                            ? "ALTER TABLE oncegate_record DROP CONSTRAINT oncegate_record_pkey"
                            : "ALTER TABLE oncegate_record DROP PRIMARY KEY");
            assertThatThrownBy(schema::check).hasMessageContaining("the primary key on id alone");
        }
    }

    @Test
    void aTableInAnotherSchemaIsFound() {
        try (TestSetup.Open open = TestSetup.POSTGRESQL.open()) {
            open.execute("CREATE SCHEMA once");
            JdbcSchema schema = JdbcSchema.of(open.small, "once.records");
            assertThatThrownBy(schema::check).isInstanceOf(SchemaException.class);
            schema.create();
            schema.check();
            granted(JdbcRecordStore.builder(open.small).table("once.records").build(), request("k"));
        }
    }

    @Test
    void aNameThatIsNoPlainNameIsRefused() {
        try (TestSetup.Open open = TestSetup.H2.open()) {
            for (String name : new String[] {"", "a b", "a;DROP TABLE x", "a.b.c", "1a", "\"a\"", "a".repeat(64)}) {
                assertThatThrownBy(() -> JdbcSchema.of(open.small, name)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> JdbcRecordStore.builder(open.small).table(name))
                        .isInstanceOf(IllegalArgumentException.class);
            }
        }
    }
}
