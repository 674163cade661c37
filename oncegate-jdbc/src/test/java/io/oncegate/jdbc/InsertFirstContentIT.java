package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.MismatchException;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What insert-first compares, and what it takes for a duplicate. */
class InsertFirstContentIT {
    private static final String[] CONTENT = {"amount", "rate", "made_at", "note", "code", "picture", "pieces", "open"};

    static Stream<TestSetup> kinds() {
        return Stream.concat(
                TestSetup.KINDS.stream(),
                Stream.of(TestSetup.MARIADB_CHANGED_ROWS, TestSetup.MARIADB_BY_MYSQL_DRIVER_CHANGED_ROWS));
    }

    private static TestSetup.Open withTypes(TestSetup setup) {
        TestSetup.Open open = Orders.open(setup);
        String blob = setup.postgres() ? "BYTEA" : setup.mysqlFamily() ? "VARBINARY(50)" : "VARBINARY(50)";
        String time = setup.mysqlFamily() ? "DATETIME(0)" : "TIMESTAMP(0)";
        open.execute("CREATE TABLE typed (name VARCHAR(50) NOT NULL, amount DECIMAL(10, 2), rate REAL, made_at " + time
                + ", note VARCHAR(50), code CHAR(5), picture " + blob + ", pieces INT, open BOOLEAN,"
                + " CONSTRAINT uk_typed UNIQUE (name))");
        return open;
    }

    private static InsertFirst typed(TestSetup setup) {
        InsertFirst.Builder builder = InsertFirst.into("typed")
                .guard(UniqueConstraint.named("uk_typed"), "name")
                .content(CONTENT);
        return (setup.mysqlDialect() ? builder.kind(DatabaseKind.MYSQL) : builder).build();
    }

    private static Map<String, Object> all() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("name", "a");
        values.put("amount", new BigDecimal("10.005"));
        values.put("rate", 0.1f);
        values.put("made_at", Timestamp.valueOf("2026-11-30 10:00:00.3"));
        values.put("note", "Text ");
        values.put("code", "ab");
        values.put("picture", new byte[] {0, 1, -1});
        values.put("pieces", 3);
        values.put("open", true);
        return values;
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void contentIsComparedAsTheColumnsHaveIt(TestSetup setup) throws Exception {
        try (TestSetup.Open open = withTypes(setup)) {
            InsertFirst typed = typed(setup);
            assertThat(typed.insert(
                                    open.small,
                                    all(),
                                    row -> row.getString("code").strip())
                            .first())
                    .isTrue();
            assertThat(typed.insert(
                            open.small, all(), row -> row.getString("code").strip()))
                    .isEqualTo(new Inserted<>("ab", false));
            Map<String, Object> same = all();
            same.put("amount", "10.01");
            same.put("code", "ab  ");
            same.put("pieces", 3L);
            assertThat(typed.insert(open.small, same, row -> "").first()).isFalse();

            Map<String, List<Object>> others = new HashMap<>();
            others.put("amount", Arrays.asList(10, null));
            others.put("rate", Arrays.asList(0.2f, null));
            others.put("made_at", Arrays.asList(Timestamp.valueOf("2026-11-30 10:00:02"), null));
            others.put("note", Arrays.asList("text ", "Text", "", null));
            others.put("code", Arrays.asList("AB", "a", null));
            others.put("picture", Arrays.asList(new byte[] {0, 1}, new byte[0], null));
            others.put("pieces", Arrays.asList(4, 0, null));
            others.put("open", Arrays.asList(false, null));
            for (Map.Entry<String, List<Object>> column : others.entrySet()) {
                for (Object value : column.getValue()) {
                    Map<String, Object> other = all();
                    other.put(column.getKey(), value);
                    assertThatThrownBy(() -> typed.insert(open.small, other, row -> ""))
                            .as(column.getKey() + " = " + value)
                            .isInstanceOfSatisfying(
                                    MismatchException.class,
                                    mismatch -> assertThat(mismatch.parts()).containsExactly(column.getKey()));
                }
            }
            Map<String, Object> nulls = new LinkedHashMap<>();
            nulls.put("name", "nulls");
            for (String column : CONTENT) {
                nulls.put(column, null);
            }
            assertThat(typed.insert(open.small, nulls, row -> "").first()).isTrue();
            assertThat(typed.insert(open.small, nulls, row -> "").first()).isFalse();
            nulls.put("note", "");
            nulls.put("pieces", 0);
            assertThatThrownBy(() -> typed.insert(open.small, nulls, row -> ""))
                    .isInstanceOfSatisfying(
                            MismatchException.class,
                            mismatch -> assertThat(mismatch.parts()).containsExactly("note", "pieces"))
                    .hasMessageNotContaining("nulls");
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void onlyTheGuardCounts(TestSetup setup) throws Exception {
        try (TestSetup.Open open = Orders.open(setup)) {
            InsertFirst orders = Orders.byAmount(setup).build();
            String hostile = "x' for key 'uk_request";
            try (Connection connection = open.pool(1, false).getConnection()) {
                orders.insert(connection, Orders.values("k", 10, hostile.substring(0, 20)), Orders::read);
                connection.commit();
                for (Map<String, Object> refused : List.of(
                        Orders.values("other", 10, hostile.substring(0, 20)),
                        Orders.values("negative", -1),
                        Orders.values("long", 10, "a number of more than twenty characters"))) {
                    assertThatThrownBy(() -> orders.insert(connection, refused, Orders::read))
                            .as(refused.toString())
                            .isInstanceOf(SQLException.class);
                    connection.rollback();
                }
                Map<String, Object> sameId = Orders.values("same-id", 10);
                sameId.put("id", 1L);
                assertThatThrownBy(() -> orders.insert(connection, sameId, Orders::read))
                        .isInstanceOf(SQLException.class);
                connection.rollback();
                // Where the guard's row is there, it is a duplicate whatever else the row would violate.
                assertThat(orders.insert(connection, Orders.values("k", 10, hostile.substring(0, 20)), Orders::read)
                                .first())
                        .isFalse();
                connection.rollback();
            }
            assertThat(Orders.rows(open)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName(
            "C33: a key that is missing, blank or too long is refused, never truncated, whatever the server's mode")
    void unusableKeysAreRefused(TestSetup setup) throws Exception {
        try (TestSetup.Open open = Orders.open(setup);
                Connection connection = open.pool(1, false).getConnection()) {
            InsertFirst orders = Orders.byAmount(setup).build();
            if (setup.mysqlFamily()) {
                connection.createStatement().execute("SET SESSION sql_mode = ''");
            }
            TestSetup.insertBusiness(connection, "before");
            for (String key : Arrays.asList(
                    null,
                    "",
                    "  ",
                    "r".repeat(65),
                    "r".repeat(100_000),
                    "\ud83d\ude00".repeat(65),
                    "half \ud83d",
                    "zero \0")) {
                assertThatThrownBy(() -> orders.insert(connection, Orders.values(key, 10), Orders::read))
                        .isInstanceOf(InvalidKeyException.class)
                        .hasMessageContaining("request_id");
            }
            for (String key : List.of("r", "r".repeat(64), "\ud83d\ude00".repeat(setup == TestSetup.H2 ? 32 : 64))) {
                assertThat(orders.insert(connection, Orders.values(key, 10), Orders::read)
                                .row()
                                .requestId())
                        .isEqualTo(key);
                assertThat(orders.insert(connection, Orders.values(key, 10), Orders::read)
                                .first())
                        .isFalse();
            }
            connection.commit();
            assertThat(open.businessRows("before")).isEqualTo(1);
            assertThat(Orders.rows(open)).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C33: where the column takes any length, a long key is refused alike, random or repetitive")
    void aLimitHoldsWithoutTheColumns(TestSetup setup) throws Exception {
        try (TestSetup.Open open = Orders.open(setup)) {
            String text = setup.mysqlFamily() ? "VARCHAR(3000) CHARACTER SET ascii" : "VARCHAR(1000000)";
            open.execute("CREATE TABLE long_key (name " + text + " NOT NULL, CONSTRAINT uk_long UNIQUE (name))");
            InsertFirst.Builder builder = InsertFirst.into("long_key")
                    .guard(UniqueConstraint.named("uk_long"), "name")
                    .keyAlone();
            InsertFirst longKey = (setup.mysqlDialect() ? builder.kind(DatabaseKind.MYSQL) : builder).build();
            for (String key : List.of("r".repeat(2_501), random(2_501))) {
                assertThatThrownBy(() -> longKey.insert(open.small, Map.of("name", key), row -> ""))
                        .isInstanceOf(InvalidKeyException.class);
            }
            for (String key : List.of("r".repeat(2_500), random(2_500))) {
                assertThat(longKey.insert(open.small, Map.of("name", key), row -> "")
                                .first())
                        .isTrue();
            }
        }
    }

    private static String random(int length) {
        return new java.util.Random(1)
                .ints(length, 'a', 'z' + 1)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
