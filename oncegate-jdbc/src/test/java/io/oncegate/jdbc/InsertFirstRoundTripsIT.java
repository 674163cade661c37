package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.MismatchException;
import java.sql.Connection;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** How often insert-first speaks with the server. */
class InsertFirstRoundTripsIT {

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, 1, 1", "MARIADB, 1, 1", "MARIADB_BY_MYSQL_DRIVER, 1, 1", "MYSQL_DIALECT, 2, 2", "H2, 1, 2"
    })
    void aNewRowAndADuplicate(TestSetup setup, int fresh, int duplicate) throws Exception {
        try (TestSetup.Open open = Orders.open(setup)) {
            CountingSource counting = new CountingSource(open.pool(1));
            InsertFirst orders = Orders.byAmount(setup).build();
            for (int round = 0; round < 2; round++) {
                // What is asked of the database once is asked by then.
                orders.insert(counting.source, Orders.values("warm", 1), Orders::read);
            }
            counting.drain();
            orders.insert(counting.source, Orders.values("k", 1), Orders::read);
            assertThat(counting.drain()).hasSize(fresh);
            orders.insert(counting.source, Orders.values("k", 1), Orders::read);
            assertThat(counting.drain()).hasSize(duplicate);
            assertThatThrownBy(() -> orders.insert(counting.source, Orders.values("k", 2), Orders::read))
                    .isInstanceOf(MismatchException.class);
            assertThat(counting.drain()).hasSize(duplicate);
            try (Connection connection = counting.source.getConnection()) {
                connection.setAutoCommit(false);
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                counting.drain();
                orders.insert(connection, Orders.values("inside", 1), Orders::read);
                assertThat(counting.drain()).hasSize(fresh);
                orders.insert(connection, Orders.values("inside", 1), Orders::read);
                assertThat(counting.drain()).hasSize(duplicate);
                connection.rollback();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = "POSTGRESQL")
    void underRepeatableReadANewRowNeedsASavepoint(TestSetup setup) throws Exception {
        try (TestSetup.Open open = Orders.open(setup)) {
            CountingSource counting = new CountingSource(open.pool(1, false));
            InsertFirst orders = Orders.byAmount(setup).build();
            orders.insert(counting.source, Orders.values("k", 1), Orders::read);
            try (Connection connection = Orders.isolated(counting.source, Connection.TRANSACTION_REPEATABLE_READ)
                    .getConnection()) {
                counting.drain();
                orders.insert(connection, Orders.values("k", 1), Orders::read);
                assertThat(counting.drain()).as("a duplicate that can be seen").hasSize(1);
                orders.insert(connection, Orders.values("fresh", 1), Orders::read);
                assertThat(counting.drain())
                        .as("look, savepoint, insert, release")
                        .hasSize(4);
                connection.rollback();
            }
        }
    }
}
