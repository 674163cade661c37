package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.error.MismatchException;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Types of columns, as content and as the guard: a repetition is one, whatever the column has made of the value. */
class InsertFirstColumnsIT {
    private static final UUID ID = UUID.fromString("0193a3b0-0000-7000-8000-00000000abcd");

    /**
     * A column.
     *
     * @param type its type
     * @param same values that mean the same to it
     * @param other another one
     */
    record Column(String type, List<Object> same, Object other) {
        static Column of(String type, Object other, Object... same) {
            return new Column(type, Arrays.asList(same), other);
        }
    }

    static Stream<Arguments> columns() {
        List<Column> all = List.of(
                Column.of("INT", 4, 3, 3L, "3", new BigDecimal("3.0")),
                Column.of("SMALLINT", 4, 3, (short) 3),
                Column.of("BIGINT", 4L, 3L, "3", 3),
                Column.of("NUMERIC(12, 3)", "1.01", "1.005", new BigDecimal("1.0050"), "1.0051"),
                Column.of("DOUBLE PRECISION", 0.1000000000000001, 0.1, "0.1"),
                Column.of("DATE", LocalDate.of(2026, 12, 1), LocalDate.of(2026, 11, 30), "2026-11-30"),
                Column.of("TIME", LocalTime.of(10, 1), LocalTime.of(10, 0), "10:00:00"));
        List<Column> postgres = List.of(
                Column.of("JSONB", "{\"a\": 2}", "{\"a\": 1, \"b\": [1.0]}", "{\"b\":[1.0],\"a\":1}"),
                Column.of("JSON", "{\"a\": 2}", "{\"a\": 1}"),
                Column.of(
                        "UUID",
                        UUID.randomUUID(),
                        ID,
                        ID.toString(),
                        ID.toString().toUpperCase(java.util.Locale.ROOT)),
                Column.of("mood", "sad", "happy"),
                Column.of("REAL", 0.1234568f, 0.1234567f),
                Column.of(
                        "TIMESTAMPTZ",
                        OffsetDateTime.parse("2026-11-30T10:00:01Z"),
                        OffsetDateTime.parse("2026-11-30T10:00:00Z"),
                        OffsetDateTime.parse("2026-11-30T12:00:00+02:00"),
                        "2026-11-30 11:00:00+01"),
                Column.of("BYTEA", new byte[] {1, 2}, new byte[] {1, 0, -1}),
                Column.of("INTERVAL", "2 hours", "1 hour", "60 minutes"),
                Column.of("INET", "10.0.0.2", "10.0.0.1", "10.0.0.1/32"),
                Column.of("TEXT[]", "{a,c}", "{a,b}", "{\"a\", \"b\"}"),
                Column.of("positive", 4, 3, "3"),
                Column.of("POINT", "(1,3)", "(1,2)"),
                Column.of("BIT(4)", "1011", "1010"),
                Column.of("XML", "<a>1</a>", "<a/>"));
        List<Column> mariadb = List.of(
                Column.of("FLOAT", 0.1234568f, 0.1234567f),
                Column.of("JSON", "{\"a\": 2}", "{\"a\": 1}"),
                Column.of(
                        "UUID",
                        UUID.randomUUID().toString(),
                        ID.toString(),
                        ID.toString().toUpperCase(java.util.Locale.ROOT)),
                Column.of("ENUM('happy', 'sad')", "sad", "happy", "HAPPY"),
                Column.of("SET('a', 'b')", "a", "a,b", "b,a"),
                Column.of("INET6", "::2", "::1", "0::1"),
                Column.of("BIT(4)", 11, 10),
                Column.of("YEAR", 2025, 2026, "2026"),
                Column.of(
                        "DATETIME(3)",
                        LocalDateTime.parse("2026-11-30T10:00:00.124"),
                        LocalDateTime.parse("2026-11-30T10:00:00.1234"),
                        LocalDateTime.parse("2026-11-30T10:00:00.1231")),
                Column.of(
                        "TIMESTAMP(6) NULL",
                        Timestamp.valueOf("2026-11-30 10:00:01"),
                        Timestamp.valueOf("2026-11-30 10:00:00")),
                Column.of("TEXT", "ab", "Ab"),
                Column.of("BLOB", new byte[] {1, 2}, new byte[] {1, 0, -1}));
        List<Column> h2 = List.of(
                Column.of("UUID", UUID.randomUUID(), ID, ID.toString()),
                Column.of("JSON", "{\"a\": 2}", "{\"a\": 1}"),
                Column.of("ENUM('happy', 'sad')", "sad", "happy"),
                Column.of(
                        "TIMESTAMP(0) WITH TIME ZONE",
                        OffsetDateTime.parse("2026-11-30T10:00:03Z"),
                        OffsetDateTime.parse("2026-11-30T10:00:00.2Z"),
                        OffsetDateTime.parse("2026-11-30T12:00:00+02:00")),
                Column.of(
                        "DATE",
                        LocalDate.of(2026, 12, 1),
                        LocalDateTime.parse("2026-11-30T10:00:00"),
                        LocalDate.of(2026, 11, 30)),
                Column.of("INT", 4, new BigDecimal("3.2"), 3),
                Column.of("BOOLEAN", false, true, 1, "true"),
                Column.of("CLOB", "ab", "Ab"),
                Column.of("BLOB", new byte[] {1, 2}, new byte[] {1, 0, -1}),
                Column.of("INTERVAL HOUR", "INTERVAL '2' HOUR", "INTERVAL '1' HOUR"),
                Column.of("DECFLOAT", "1.1", "1.0", "1.00"),
                Column.of("REAL", 0.1234568f, 0.1234567f));
        return TestSetup.KINDS.stream().map(setup -> {
            List<Column> columns = new ArrayList<>(all);
            columns.addAll(setup.postgres() ? postgres : setup.mysqlFamily() ? mariadb : h2);
            return Arguments.of(setup, columns);
        });
    }

    @ParameterizedTest
    @MethodSource("columns")
    void aRepetitionIsOneWhateverTheColumnHasMadeOfTheValue(TestSetup setup, List<Column> columns) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            if (setup.postgres()) {
                open.execute("CREATE TYPE mood AS ENUM ('happy', 'sad')");
                open.execute("CREATE DOMAIN positive AS INT CHECK (VALUE > 0)");
            }
            List<String> failures = new ArrayList<>();
            int number = 0;
            for (Column column : columns) {
                String table = "t" + number++;
                open.execute("CREATE TABLE " + table + " (k INT NOT NULL, c " + column.type() + ", CONSTRAINT uk_"
                        + table + " UNIQUE (k))");
                InsertFirst.Builder builder = InsertFirst.into(table)
                        .guard(UniqueConstraint.named("uk_" + table), "k")
                        .content("c");
                InsertFirst helper = (setup.mysqlDialect() ? builder.kind(DatabaseKind.MYSQL) : builder).build();
                try {
                    for (Object value : column.same()) {
                        boolean first = helper.insert(open.small, values(value), row -> "")
                                .first();
                        if (first != (value == column.same().get(0))) {
                            failures.add(column.type() + " " + value + " first " + first);
                        }
                        helper.insert(open.small, values(value), row -> "");
                    }
                } catch (Exception e) {
                    failures.add(column.type() + ": " + e);
                }
                for (Object value : Arrays.asList(column.other(), null)) {
                    try {
                        helper.insert(open.small, values(value), row -> "");
                        failures.add(column.type() + ": no mismatch " + value);
                    } catch (MismatchException e) {
                        // as it has to be
                    } catch (Exception e) {
                        failures.add(column.type() + " other " + value + ": " + e);
                    }
                }
            }
            assertThat(failures).isEmpty();
        }
    }

    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName(
            "C35: defaults, generated columns and triggers show in the row, and a repetition changes nothing of it")
    void theRowIsAsTheDatabaseHasIt(TestSetup setup) throws Exception {
        String id = setup.mysqlFamily() ? "BIGINT AUTO_INCREMENT" : "BIGINT GENERATED ALWAYS AS IDENTITY";
        String text = setup.mysqlFamily() ? " CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin" : "";
        String touched = setup.mysqlFamily() ? " ON UPDATE CURRENT_TIMESTAMP(6)" : "";
        try (TestSetup.Open open = setup.open()) {
            open.execute("CREATE TABLE made (id " + id + " PRIMARY KEY, request VARCHAR(40)" + text + " NOT NULL,"
                    + " amount INT DEFAULT 5 NOT NULL, twice INT GENERATED ALWAYS AS (amount * 2)"
                    + (setup == TestSetup.H2 ? "" : " STORED") + ", touched TIMESTAMP(6) DEFAULT CURRENT_TIMESTAMP(6)"
                    + touched + ", CONSTRAINT uk_made UNIQUE (request))");
            if (setup.postgres()) {
                open.execute("CREATE FUNCTION more() RETURNS trigger LANGUAGE plpgsql AS"
                        + " $$ BEGIN NEW.amount := NEW.amount + 1; RETURN NEW; END $$");
                open.execute("CREATE TRIGGER mores BEFORE INSERT ON made FOR EACH ROW EXECUTE FUNCTION more()");
            } else if (setup.mysqlFamily()) {
                open.execute("CREATE TRIGGER mores BEFORE INSERT ON made FOR EACH ROW SET NEW.amount = NEW.amount + 1");
            }
            InsertFirst.Builder builder = InsertFirst.into("made")
                    .guard(UniqueConstraint.named("uk_made"), "request")
                    .keyAlone();
            InsertFirst made = (setup.mysqlDialect() ? builder.kind(DatabaseKind.MYSQL) : builder).build();
            RowReader<List<Object>> reader = row ->
                    List.of(row.getLong("id"), row.getInt("amount"), row.getInt("twice"), row.getTimestamp("touched"));
            Inserted<List<Object>> first = made.insert(open.small, Map.of("request", "r-1"), reader);
            int amount = setup == TestSetup.H2 ? 5 : 6;
            assertThat(first.row()).startsWith(1L, amount, 2 * amount);
            for (int i = 0; i < 2; i++) {
                assertThat(made.insert(open.small, Map.of("request", "r-1"), reader))
                        .isEqualTo(new Inserted<>(first.row(), false));
                try (Connection connection = open.small.getConnection();
                        ResultSet row = connection.createStatement().executeQuery("SELECT * FROM made")) {
                    row.next();
                    assertThat(reader.read(row)).as("in the table").isEqualTo(first.row());
                }
            }
        }
    }

    private static Map<String, Object> values(Object value) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("k", 1);
        values.put("c", value);
        return values;
    }
}
