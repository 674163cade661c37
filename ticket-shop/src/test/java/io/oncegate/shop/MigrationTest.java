package io.oncegate.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The shop's migrations create the table that the toolkit's stores were made for. */
class MigrationTest {
    @ParameterizedTest
    @ValueSource(strings = {"h2", "mariadb", "postgresql"})
    void createsTheToolkitsTable(String vendor) throws IOException {
        String ours = read("/db/migration/" + vendor + "/V2__oncegate_record.sql");
        String theirs = read("/io/oncegate/jdbc/schema-" + vendor + ".sql");

        assertThat(ours).isEqualTo(theirs);
    }

    private static String read(String resource) throws IOException {
        try (InputStream in = MigrationTest.class.getResourceAsStream(resource)) {
            assertThat(in).as(resource).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
