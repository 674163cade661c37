package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.Call;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.error.StaleVersionException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests that read and update, come twice, and meet others. */
class VersionedRequestsIT {
    private static final Operation<Long> ADD = Operation.named("seat.add")
            .returning(Long.class)
            .waitUpTo(Duration.ofMinutes(1))
            .build();
    private static final RetryPolicy PATIENT =
            new RetryPolicy(1000, Duration.ofMillis(1), Duration.ofMillis(30), Duration.ofMinutes(2));

    static Stream<TestSetup> kinds() {
        return Stream.of(TestSetup.H2, TestSetup.POSTGRESQL, TestSetup.MARIADB, TestSetup.MARIADB_BY_MYSQL_DRIVER);
    }

    private static Call<Long> call(String request) {
        return ADD.call(Scope.of("alice"), request, Fingerprint.of("add 1 to seat 1"));
    }

    private static long addOne(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                        connection.prepareStatement("SELECT amount, version FROM seat WHERE id = 1");
                ResultSet row = statement.executeQuery()) {
            row.next();
            return VersionedUpdateIT.SEATS.update(connection, 1L, row.getLong(2), Map.of("amount", row.getLong(1) + 1));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C55: 20 threads add one with retries in fresh transactions, each request twice: the total is 20")
    void eachRequestIsAppliedOnce(TestSetup setup) throws Exception {
        try (TestSetup.Open open = VersionedUpdateIT.withSeats(setup)) {
            HikariDataSource connections = open.pool(8, false);
            DataSource pool = Orders.isolated(connections, Connection.TRANSACTION_REPEATABLE_READ);
            try (VersionedRequests requests = VersionedRequests.of(pool, PATIENT)) {
                List<Long> versions = Threads.together(
                        40,
                        number -> requests.run(call("request-" + number / 2), VersionedRequestsIT::addOne)
                                .orElseThrow());
                assertThat(open.number("SELECT amount FROM seat WHERE id = 1")).isEqualTo(20);
                assertThat(open.number("SELECT version FROM seat WHERE id = 1")).isEqualTo(22);
                assertThat(Set.copyOf(versions)).hasSize(20);
                for (int i = 0; i < 40; i += 2) {
                    assertThat(versions.get(i)).isEqualTo(versions.get(i + 1)).isBetween(3L, 22L);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aRepetitionIsToldTheVersionThatItsRequestWrote(TestSetup setup) throws Exception {
        try (TestSetup.Open open = VersionedUpdateIT.withSeats(setup)) {
            HikariDataSource pool = open.pool(2, false);
            try (VersionedRequests requests = VersionedRequests.of(pool, PATIENT)) {
                assertThat(requests.run(call("r1"), VersionedRequestsIT::addOne))
                        .isEqualTo(new Outcome.Executed<>(3L));
                assertThat(requests.run(call("r2"), VersionedRequestsIT::addOne))
                        .isEqualTo(new Outcome.Executed<>(4L));
                assertThat(requests.run(call("r1"), VersionedRequestsIT::addOne))
                        .isEqualTo(new Outcome.Replayed<>(3L));
                assertThat(open.number("SELECT amount FROM seat WHERE id = 1")).isEqualTo(2);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aRequestThatGivesUpLeavesNothingAndMayComeAgain(TestSetup setup) throws Exception {
        try (TestSetup.Open open = VersionedUpdateIT.withSeats(setup)) {
            HikariDataSource pool = open.pool(2, false);
            AtomicInteger tries = new AtomicInteger();
            try (VersionedRequests requests = VersionedRequests.of(pool, PATIENT.withAttempts(3))) {
                VersionedRequests.ReadAndUpdate late = connection -> {
                    tries.incrementAndGet();
                    TestSetup.insertBusiness(connection, "late");
                    return VersionedUpdateIT.SEATS.update(connection, 1L, 1L, Map.of("amount", 9L));
                };
                assertThatThrownBy(() -> requests.run(call("r"), late)).isInstanceOf(StaleVersionException.class);
                assertThat(tries).hasValue(3);
                assertThatThrownBy(() -> requests.run(
                                call("r"),
                                connection -> VersionedUpdateIT.SEATS.update(
                                        connection, 99L, (long) tries.incrementAndGet(), Map.of("amount", 9L))))
                        .isInstanceOf(StaleVersionException.class);
                assertThat(tries).as("what is gone is not tried again").hasValue(4);
                assertThat(open.businessRows("late")).isZero();
                assertThat(requests.run(call("r"), VersionedRequestsIT::addOne)).isEqualTo(new Outcome.Executed<>(3L));
            }
        }
    }
}
