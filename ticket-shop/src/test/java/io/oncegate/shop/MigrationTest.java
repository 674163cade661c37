package io.oncegate.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The shop's migrations create the tables that the toolkit's stores were made for. */
class MigrationTest {
    @ParameterizedTest
    @ValueSource(strings = {"h2", "mariadb", "postgresql"})
    void createsTheToolkitsTables(String vendor) throws IOException {
        String migrations = "/db/migration/" + vendor;
        String toolkit = "/io/oncegate/jdbc/";

        assertThat(read(migrations + "/V2__oncegate_record.sql"))
                .isEqualTo(read(toolkit + "schema-" + vendor + ".sql"));
        assertThat(read(migrations + "/V5__oncegate_state_history.sql"))
                .isEqualTo(read(toolkit + "states-" + vendor + ".sql"));
    }

    private static String read(String resource) throws IOException {
        try (InputStream in = MigrationTest.class.getResourceAsStream(resource)) {
            assertThat(in).as(resource).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
