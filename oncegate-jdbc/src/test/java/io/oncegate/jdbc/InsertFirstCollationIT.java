package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** C31: keys that a collation takes for the same. */
class InsertFirstCollationIT {
    private static final List<String> KEYS = List.of(
            "abc",
            "ABC",
            "abc ",
            "\uff41\uff42\uff43", // full-width
            "abc\u00e9",
            "abce",
            "abce\u0301");

    /** Columns, and whether their collation keeps all keys apart. */
    static Stream<Arguments> columns() {
        return Stream.of(
                Arguments.of(TestSetup.H2, "VARCHAR(50)", true),
                Arguments.of(TestSetup.H2, "VARCHAR_IGNORECASE(50)", false),
                Arguments.of(TestSetup.POSTGRESQL, "VARCHAR(50)", true),
                Arguments.of(TestSetup.POSTGRESQL, "TEXT COLLATE nocase", false),
                Arguments.of(TestSetup.MARIADB, "VARCHAR(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin", true),
                Arguments.of(TestSetup.MARIADB, "VARCHAR(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci", false),
                Arguments.of(TestSetup.MARIADB, "VARBINARY(200)", true),
                Arguments.of(
                        TestSetup.MARIADB_BY_MYSQL_DRIVER,
                        "VARCHAR(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
                        false),
                Arguments.of(
                        TestSetup.MYSQL_DIALECT,
                        "VARCHAR(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci",
                        false));
    }

    @ParameterizedTest
    @MethodSource("columns")
    @DisplayName("C31: a key is distinct or refused, and never given another key's row")
    void aKeyNeverGetsAnothersRow(TestSetup setup, String column, boolean distinct) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            if (setup.postgres()) {
                open.execute(
                        "CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level1', deterministic = false)");
            }
            open.execute("CREATE TABLE keyed (name " + column + " NOT NULL, owner VARCHAR(20),"
                    + " CONSTRAINT uk_keyed UNIQUE (name))");
            InsertFirst.Builder builder = InsertFirst.into("keyed")
                    .guard(UniqueConstraint.named("uk_keyed"), "name")
                    .keyAlone();
            InsertFirst keyed = (setup.mysqlDialect() ? builder.kind(DatabaseKind.MYSQL) : builder).build();
            Map<String, String> owners = new HashMap<>();
            int refused = 0;
            try (Connection connection = open.pool(1, false).getConnection()) {
                for (int round = 0; round < 2; round++) {
                    for (int i = 0; i < KEYS.size(); i++) {
                        String key = KEYS.get(i);
                        String owner = "owner " + i;
                        try {
                            Inserted<String> one = keyed.insert(
                                    connection, Map.of("name", key, "owner", owner), row -> row.getString("owner"));
                            assertThat(one.first()).as(key).isEqualTo(round == 0);
                            assertThat(owners.computeIfAbsent(key, k -> owner)).isEqualTo(one.row());
                            assertThat(one.row()).isEqualTo(owner);
                        } catch (SchemaException e) {
                            assertThat(e)
                                    .hasMessageContaining("binary collation")
                                    .hasMessageNotContaining("abc");
                            refused++;
                        }
                    }
                }
                TestSetup.insertBusiness(connection, "after");
                connection.commit();
            }
            assertThat(refused).matches(count -> distinct == (count == 0), "refused " + refused);
            assertThat(open.number("SELECT COUNT(*) FROM keyed")).isEqualTo(owners.size());
            assertThat(open.businessRows("after")).isEqualTo(1);
        }
    }
}
