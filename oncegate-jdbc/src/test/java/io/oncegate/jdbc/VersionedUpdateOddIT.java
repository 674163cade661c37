package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Versioned updates of tables that are not as one would expect. */
class VersionedUpdateOddIT {
    private static VersionedUpdate.Row row(long id) {
        return new VersionedUpdate.Row(id, 0L, Map.of("name", "x"));
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB", "MARIADB_BY_MYSQL_DRIVER"})
    @DisplayName("C52: in a batch two rows of one key do not make up for one that is gone")
    void aBatchCountsKeysAndNotRows(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            open.execute("CREATE TABLE loose (id BIGINT, name VARCHAR(20), version BIGINT NOT NULL)");
            open.execute("INSERT INTO loose VALUES (2, 'b', 0), (2, 'c', 0), (3, 'd', 0)");
            VersionedUpdate loose = VersionedUpdate.of("loose", "version", "id");
            try (Connection connection = open.pool(1, false).getConnection()) {
                for (List<VersionedUpdate.Row> rows : List.of(List.of(row(1), row(2)), List.of(row(3), row(2)))) {
                    assertThatThrownBy(() -> loose.updateAll(connection, rows))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("2 rows of loose have the same key");
                    connection.rollback();
                }
            }
        }
    }

    @Test
    @DisplayName("C52: a row that a trigger keeps as it is is no success, alone or in a batch")
    void aRowThatATriggerKeepsIsNoSuccess() throws Exception {
        try (TestSetup.Open open = VersionedUpdateIT.withSeats(TestSetup.POSTGRESQL)) {
            open.execute("CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'");
            open.execute("CREATE TRIGGER keep BEFORE UPDATE ON seat FOR EACH ROW WHEN (OLD.id > 1)"
                    + " EXECUTE FUNCTION keep()");
            HikariDataSource pool = open.pool(1, false);
            try (Connection connection = pool.getConnection()) {
                assertThatThrownBy(() -> VersionedUpdateIT.SEATS.update(connection, 2L, 2L, Map.of("amount", 1L)))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("trigger");
                List<VersionedUpdate.Row> rows = List.of(
                        new VersionedUpdate.Row(1L, 2L, Map.of("amount", 1L)),
                        new VersionedUpdate.Row(2L, 2L, Map.of("amount", 1L)));
                assertThatThrownBy(() -> VersionedUpdateIT.SEATS.updateAll(connection, rows))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("row 1 of the batch");
                connection.rollback();
            }
        }
    }

    @Test
    void textsSuitColumnsOfPostgresOwnTypes() throws Exception {
        try (TestSetup.Open open = TestSetup.POSTGRESQL.open()) {
            open.execute("CREATE TYPE mood AS ENUM ('calm', 'wild')");
            open.execute("CREATE TABLE odd (id UUID PRIMARY KEY, doc JSONB, kind mood, at TIMESTAMPTZ, note VARCHAR(9),"
                    + " version BIGINT NOT NULL)");
            String id = "018f0000-0000-7000-8000-00000000abcd";
            open.execute("INSERT INTO odd VALUES ('" + id + "', '{}', 'calm', now(), '', 0)");
            VersionedUpdate odd = VersionedUpdate.of("odd", "version", "id");
            Map<String, ?> values =
                    Map.of("doc", "{\"a\": 1}", "kind", "wild", "at", "2026-01-01T00:00:00Z", "note", "plain");
            try (Connection connection = open.pool(1, false).getConnection()) {
                assertThat(odd.update(connection, UUID.fromString(id), 0L, values))
                        .isEqualTo(1);
                assertThat(odd.updateAll(connection, List.of(new VersionedUpdate.Row(id, 1L, values))))
                        .containsExactly(2L);
                assertThat(TestSetup.text(
                                connection, "SELECT doc->>'a' || kind || note || extract(year FROM at) FROM odd"))
                        .isEqualTo("1wildplain2026");
                connection.rollback();
            }
        }
    }
}
