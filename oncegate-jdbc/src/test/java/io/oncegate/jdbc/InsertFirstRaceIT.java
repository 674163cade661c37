package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** 64 callers insert the same row at once: on each database, under both isolation levels, inside and outside a transaction. */
class InsertFirstRaceIT {
    private static final int CALLERS = 64;
    private static final RetryPolicy PATIENT =
            RetryPolicy.DEFAULT.withAttempts(100).withinTime(Duration.ofMinutes(2));

    static Stream<Arguments> matrix() {
        return TestSetup.KINDS.stream()
                .flatMap(setup -> Stream.of(true, false)
                        .flatMap(inside -> Stream.of(
                                Arguments.of(setup, Connection.TRANSACTION_READ_COMMITTED, inside),
                                Arguments.of(setup, Connection.TRANSACTION_REPEATABLE_READ, inside))));
    }

    @ParameterizedTest
    @MethodSource("matrix")
    void oneIsFirstAndAllGetTheSameRow(TestSetup setup, int isolation, boolean inside) throws Exception {
        try (TestSetup.Open open = Orders.open(setup)) {
            HikariDataSource connections = open.pool(16, !inside);
            DataSource pool = Orders.isolated(connections, isolation);
            InsertFirst orders = Orders.byAmount(setup)
                    .spare(open.pool(1))
                    .waitUpTo(Duration.ofMinutes(1))
                    .retry(PATIENT)
                    .build();
            List<Inserted<Orders.Order>> found = Threads.together(
                    CALLERS,
                    number -> inside
                            ? PATIENT.run(RetryPolicy::mayRepeat, () -> inTransaction(pool, orders, number))
                            : orders.insert(pool, Orders.values("k", 10), Orders::read));

            assertThat(found).filteredOn(Inserted::first).hasSize(1);
            assertThat(found)
                    .extracting(one -> one.row().id())
                    .containsOnly(found.get(0).row().id());
            assertThat(Orders.rows(open)).isEqualTo(1);
            if (inside) {
                assertThat(open.number("SELECT COUNT(DISTINCT name) FROM business_row"))
                        .isEqualTo(CALLERS);
            }
        }
    }

    /** Whoever has read before has a snapshot; the row comes later. */
    private static Inserted<Orders.Order> inTransaction(DataSource pool, InsertFirst orders, int number)
            throws SQLException {
        try (Connection connection = pool.getConnection()) {
            TestSetup.countBusiness(connection, "nobody");
            Inserted<Orders.Order> one = orders.insert(connection, Orders.values("k", 10), Orders::read);
            TestSetup.insertBusiness(connection, "caller-" + number);
            connection.commit();
            return one;
        }
    }
}
