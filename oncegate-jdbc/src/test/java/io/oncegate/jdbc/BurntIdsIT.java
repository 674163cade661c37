package io.oncegate.jdbc;

import static io.oncegate.jdbc.Requests.granted;
import static io.oncegate.jdbc.Requests.replay;
import static io.oncegate.jdbc.Requests.request;
import static io.oncegate.jdbc.Requests.succeeded;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.TransactionalRecordStore;
import io.oncegate.testkit.Untimed;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a flood of duplicates does to numbers that a database gives out, and to the column that keeps them. */
class BurntIdsIT {
    /** How many duplicates: 1,000,000 in the case, fewer in every build. */
    private static final int DUPLICATES = Integer.getInteger("oncegate.jdbc.duplicates", 1_000);

    private static final int CALLERS = 4;
    private static final Duration LIMIT = Duration.ofHours(2);

    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    /** Columns of our tables that take a number from a counter, as the database's catalogue has them. */
    private static long countersOfOurs(TestSetup.Open open) {
        String counts = switch (open.setup.databases) {
            case H2 -> "(is_identity = 'YES' OR column_default LIKE '%NEXT VALUE%')";
            case POSTGRESQL -> "(is_identity = 'YES' OR column_default LIKE 'nextval%')";
            case MARIADB, MARIADB_MYSQL_DRIVER -> "table_schema = DATABASE() AND extra LIKE '%auto_increment%'";
        };
        String ours = "FROM information_schema.columns WHERE LOWER(table_name) LIKE 'oncegate%' AND ";
        assertThat(open.number("SELECT COUNT(DISTINCT table_name) " + ours + "LOWER(column_name) = 'id'"))
                .as("tables that the catalogue shows")
                .isPositive();
        return open.number("SELECT COUNT(*) " + ours + counts);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C39: no table of ours has a counter, so that duplicates have nothing to burn")
    void noTableOfOursHasACounter(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            JdbcSchema.locks(open.small).create();
            JdbcSchema.tokens(open.small).create();
            JdbcSchema.fences(open.small).create();
            JdbcSchema.states(open.small).create();
            assertThat(countersOfOurs(open)).isZero();

            HikariDataSource pool = open.pool(CALLERS);
            JdbcRecordStore claimed = open.store(pool).build();
            claimed.settle(granted(claimed, request("k")), succeeded("r"));
            TransactionalRecordStore same =
                    open.transactional(TransactionSource.of(pool)).build();
            Threads.together(CALLERS, LIMIT, number -> {
                for (int i = number; i < DUPLICATES; i += CALLERS) {
                    if (i % 2 == 0) {
                        assertThat(Untimed.of(claimed.claim(request("k")))).isEqualTo(replay("r"));
                    } else {
                        RecordTransaction transaction = same.begin();
                        assertThat(Untimed.of(
                                        transaction.recordFirst(request("k"), Requests.FIRST, Duration.ofSeconds(30))))
                                .isEqualTo(replay("r"));
                        transaction.commit();
                    }
                }
                return number;
            });
            assertThat(open.number("SELECT COUNT(*) FROM oncegate_record")).isOne();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName(
            "C39: insert-first: a duplicate burns one number at most, none with PostgreSQL, and the counter is wide")
    void aDuplicateBurnsOneNumberAtMost(TestSetup setup) throws Exception {
        try (TestSetup.Open open = Orders.open(setup)) {
            InsertFirst orders = Orders.byAmount(setup).build();
            HikariDataSource pool = open.pool(CALLERS, false);
            Orders.Order first = insert(orders, pool, "k").row();
            Threads.together(CALLERS, LIMIT, number -> {
                for (int i = number; i < DUPLICATES; i += CALLERS) {
                    assertThat(insert(orders, pool, "k")).isEqualTo(new Inserted<>(first, false));
                }
                return number;
            });
            long burnt = insert(orders, pool, "other").row().id() - first.id() - 1;
            if (setup.postgres()) {
                assertThat(burnt).isZero();
            } else {
                assertThat(burnt).isBetween(0L, (long) DUPLICATES);
            }
            assertThat(Orders.rows(open)).isEqualTo(2);
            assertWide(open);
        }
    }

    private static Inserted<Orders.Order> insert(InsertFirst orders, HikariDataSource pool, String key)
            throws SQLException {
        return orders.insert(pool, Orders.values(key, 10), Orders::read);
    }

    /** As docs/data-insert-first.md asks for: a counter that a million duplicates a second would not fill in an age. */
    private static void assertWide(TestSetup.Open open) throws SQLException {
        try (Connection connection = open.small.getConnection()) {
            connection.setAutoCommit(true);
            String schema = open.setup.mysqlFamily() ? " AND table_schema = DATABASE()" : "";
            assertThat(TestSetup.text(
                            connection,
                            "SELECT LOWER(data_type) FROM information_schema.columns WHERE LOWER(table_name) = 'orders'"
                                    + " AND LOWER(column_name) = 'id'" + schema))
                    .isEqualTo("bigint");
            open.execute("INSERT INTO orders (id, user_id, request_id) VALUES (" + (1L << 40) + ", 8, 'wide')");
        }
    }
}
