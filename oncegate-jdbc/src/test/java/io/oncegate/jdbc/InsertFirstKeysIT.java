package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.MismatchException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A table with several unique keys, of which one is the guard. */
class InsertFirstKeysIT {
    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    /** The guard is the last key, so that databases come to the others first. */
    private static TestSetup.Open withKeys(TestSetup setup) {
        TestSetup.Open open = setup.open();
        String binary = setup.mysqlFamily() ? " CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin" : "";
        open.execute("CREATE TABLE person (id BIGINT NOT NULL PRIMARY KEY, email VARCHAR(40), request VARCHAR(40)"
                + binary + " NOT NULL, name VARCHAR(40), CONSTRAINT uk_email UNIQUE (email),"
                + " CONSTRAINT uk_person UNIQUE (request))");
        open.execute("INSERT INTO person VALUES (1, 'a@x', 'r-1', 'Ann'), (2, 'b@x', 'r-2', 'Bob')");
        return open;
    }

    private static InsertFirst.Builder people(TestSetup setup) {
        InsertFirst.Builder builder = InsertFirst.into("person").guard(UniqueConstraint.named("uk_person"), "request");
        return setup.mysqlDialect() ? builder.kind(DatabaseKind.MYSQL) : builder;
    }

    private static Map<String, Object> person(long id, String email, String request, String name) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("id", id);
        values.put("email", email);
        values.put("request", request);
        values.put("name", name);
        return values;
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whereTheGuardsRowIsThereItIsARepetitionWhateverElseIsInTheWay(TestSetup setup) throws Exception {
        try (TestSetup.Open open = withKeys(setup);
                Connection connection = open.pool(1, false).getConnection()) {
            InsertFirst people = people(setup).content("name").build();
            RowReader<Long> id = row -> row.getLong("id");
            for (Map<String, Object> again : List.of(
                    person(1, "a@x", "r-1", "Ann"),
                    person(1, "c@x", "r-1", "Ann"),
                    person(3, "a@x", "r-1", "Ann"),
                    person(2, "c@x", "r-1", "Ann"),
                    person(3, "b@x", "r-1", "Ann"),
                    person(2, "b@x", "r-1", "Ann"))) {
                assertThat(people.insert(connection, again, id))
                        .as(again.toString())
                        .isEqualTo(new Inserted<>(1L, false));
                Map<String, Object> other = new LinkedHashMap<>(again);
                other.put("name", "ann");
                assertThatThrownBy(() -> people.insert(connection, other, id))
                        .as(other.toString())
                        .isInstanceOfSatisfying(
                                MismatchException.class,
                                mismatch -> assertThat(mismatch.parts()).containsExactly("name"));
                assertThat(people(setup).keyAlone().build().insert(connection, other, id))
                        .isEqualTo(new Inserted<>(1L, false));
            }
            TestSetup.insertBusiness(connection, "after");
            connection.commit();
            assertThat(open.businessRows("after")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whereItIsNotTheOtherKeyIsTheDatabasesError(TestSetup setup) throws Exception {
        try (TestSetup.Open open = withKeys(setup)) {
            InsertFirst people = people(setup).content("name").build();
            for (Map<String, Object> refused : List.of(
                    person(3, "a@x", "r-3", "Ann"), person(1, "c@x", "r-3", "Ann"), person(2, "a@x", "r-3", "Ann"))) {
                assertThatThrownBy(() -> people.insert(open.small, refused, row -> ""))
                        .as(refused.toString())
                        .isInstanceOf(SQLException.class);
            }
            assertThat(open.number("SELECT COUNT(*) FROM person")).isEqualTo(2);
        }
    }
}
