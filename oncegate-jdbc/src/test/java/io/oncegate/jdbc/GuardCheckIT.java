package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.error.StoreUnavailableException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the start-up check of a guard finds. */
class GuardCheckIT {
    static Stream<TestSetup> drivers() {
        return Stream.of(
                TestSetup.H2,
                TestSetup.POSTGRESQL,
                TestSetup.MARIADB,
                TestSetup.MARIADB_CHANGED_ROWS,
                TestSetup.MARIADB_BY_MYSQL_DRIVER);
    }

    private static TestSetup.Open withTable(TestSetup setup) {
        TestSetup.Open open = setup.open();
        String binary = setup.mysqlFamily() ? " CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin" : "";
        open.execute("CREATE TABLE orders (id BIGINT NOT NULL PRIMARY KEY, user_id BIGINT NOT NULL, request_id"
                + " VARCHAR(64)" + binary + " NOT NULL, digest " + (setup.postgres() ? "BYTEA" : "VARBINARY(32)")
                + " NOT NULL, optional VARCHAR(64)" + binary + ", CONSTRAINT uk_request UNIQUE (user_id, request_id))");
        open.execute("CREATE UNIQUE INDEX uk_digest ON orders (digest)");
        open.execute("CREATE UNIQUE INDEX uk_optional ON orders (optional)");
        open.execute("CREATE INDEX ix_request ON orders (request_id)");
        return open;
    }

    private static String problem(TestSetup.Open open, String constraint, String... columns) {
        Throwable thrown =
                catchThrowable(() -> UniqueConstraint.named(constraint).check(open.small, "orders", columns));
        assertThat(thrown).as(constraint).isInstanceOf(SchemaException.class);
        return thrown.getMessage();
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void aGuardThatIsAsItHasToBeIsAccepted(TestSetup setup) {
        try (TestSetup.Open open = withTable(setup)) {
            UniqueConstraint guard = UniqueConstraint.named("UK_Request");
            guard.check(open.small, "orders", "request_id", "USER_ID");
            UniqueConstraint.named("uk_digest").check(open.small, "orders", "digest");
            UniqueConstraint.primaryKey("orders").check(open.small, "orders", "id");
            Orders.builder(setup).keyAlone().build().check(open.small);
            InsertFirst.into("orders")
                    .guard(UniqueConstraint.primaryKey("orders"), "id")
                    .keyAlone()
                    .build()
                    .check(open.small);
            HikariDataSource closed = open.pool(1);
            closed.close();
            assertThatThrownBy(() -> guard.check(closed, "orders", "user_id", "request_id"))
                    .isInstanceOf(StoreUnavailableException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("drivers")
    void whatIsWrongIsSaidWithWhatToDo(TestSetup setup) {
        try (TestSetup.Open open = withTable(setup)) {
            assertThat(problem(open, "uk_missing", "user_id", "request_id"))
                    .contains("UNIQUE (user_id, request_id)")
                    .containsIgnoringCase("uk_request (user_id, request_id)");
            assertThat(problem(open, "ix_request", "request_id")).contains("not there");
            assertThat(problem(open, "uk_request", "user_id"))
                    .containsIgnoringCase("covers user_id, request_id, and not user_id;");
            assertThat(problem(open, "uk_request", "user_id", "request_id", "id"))
                    .contains("and not user_id, request_id, id");
            assertThat(problem(open, "uk_optional", "optional")).contains("NOT NULL");
            assertThatThrownBy(() -> UniqueConstraint.named("uk_request").check(open.small, "nowhere", "user_id"))
                    .isInstanceOf(SchemaException.class)
                    .hasMessageContaining("no unique key on such a table");
            InsertFirst half = InsertFirst.into("orders")
                    .guard(UniqueConstraint.named("uk_request"), "request_id")
                    .keyAlone()
                    .build();
            assertThatThrownBy(() -> half.check(open.small)).isInstanceOf(SchemaException.class);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "H2, VARCHAR(40), true",
        "H2, VARCHAR_IGNORECASE(40), false",
        "POSTGRESQL, VARCHAR(40), true",
        "POSTGRESQL, TEXT COLLATE \"C\", true",
        "POSTGRESQL, TEXT COLLATE nocase, false",
        "MARIADB, VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin, true",
        "MARIADB, VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin, false",
        "MARIADB, VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin, true",
        "MARIADB, VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_nopad_ci, false",
        "MARIADB, VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci, false",
        "MARIADB, VARBINARY(40), true",
        "MARIADB, UUID, true",
        "MARIADB_BY_MYSQL_DRIVER, VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, false"
    })
    void aCollationThatTakesTextsForTheSameIsFound(TestSetup setup, String type, boolean right) {
        try (TestSetup.Open open = setup.open()) {
            if (setup.postgres()) {
                open.execute(
                        "CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
            }
            open.execute("CREATE TABLE keyed (name " + type + " NOT NULL, CONSTRAINT uk_keyed UNIQUE (name))");
            Throwable thrown =
                    catchThrowable(() -> UniqueConstraint.named("uk_keyed").check(open.small, "keyed", "name"));
            if (right) {
                assertThat(thrown).isNull();
            } else {
                assertThat(thrown).isInstanceOf(SchemaException.class).hasMessageContaining("binary collation");
            }
        }
    }

    @Test
    void mariaDbsKeyOfAPrefixGuardsTooMuch() {
        try (TestSetup.Open open = withTable(TestSetup.MARIADB)) {
            open.execute("CREATE UNIQUE INDEX uk_prefix ON orders (request_id(8))");
            assertThat(problem(open, "uk_prefix", "request_id")).contains("only the first 8 of request_id");
            String address = open.database.url();
            String schema = address.substring(address.lastIndexOf('/') + 1).replaceAll("\\?.*", "");
            assertThatCode(() -> UniqueConstraint.named("uk_request")
                            .check(open.small, schema + ".orders", "user_id", "request_id"))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void postgresHasKeysThatGuardTooLittle() {
        try (TestSetup.Open open = withTable(TestSetup.POSTGRESQL)) {
            open.execute("CREATE UNIQUE INDEX uk_partial ON orders (request_id) WHERE user_id > 0");
            open.execute("CREATE UNIQUE INDEX uk_lower ON orders (lower(request_id))");
            open.execute("ALTER TABLE orders ADD CONSTRAINT uk_late UNIQUE (request_id) DEFERRABLE");
            open.execute("CREATE UNIQUE INDEX uk_more ON orders (request_id) INCLUDE (user_id)");
            assertThat(problem(open, "uk_partial", "request_id")).contains("partial");
            assertThat(problem(open, "uk_lower", "request_id")).contains("expression");
            assertThat(problem(open, "uk_late", "request_id")).contains("deferrable");
            UniqueConstraint.named("uk_more").check(open.small, "orders", "request_id");

            open.execute("CREATE SCHEMA app");
            open.execute("CREATE TABLE app.tickets (no INT CONSTRAINT tickets_no PRIMARY KEY)");
            InsertFirst tickets = InsertFirst.into("app.tickets")
                    .guard(UniqueConstraint.primaryKey("app.tickets"), "no")
                    .keyAlone()
                    .build();
            tickets.check(open.small);
            assertThatThrownBy(() -> UniqueConstraint.primaryKey("app.tickets").check(open.small, "app.tickets", "no"))
                    .as("mapping tools tell it by its name")
                    .hasMessageContaining("tickets_no (no)");
        }
    }
}
