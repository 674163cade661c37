package io.oncegate.spring.tx;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.jdbc.Inserted;
import io.oncegate.testsupport.Databases;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What docs/data-insert-first.md and docs/data-versions.md show of Spring. */
class SpringDataTourTest {

    @Test
    void bothHelpersInSpringsTransactions() {
        try (DataSetup setup = new DataSetup(Databases.H2, 2)) {
            SpringInsertFirst orders = setup.orders;
            SpringVersionedUpdate seats = setup.seats;
            long id = setup.transaction(2).execute(status -> {
                // snippet: spring-insert-first
                Inserted<Long> order = orders.insert( // in the current transaction
                        Map.of("user_id", 7, "request_id", "7f3c", "amount", 10), (row, number) -> row.getLong("id"));
                // end snippet
                return order.row();
            });
            // snippet: fresh-transactions
            FreshTransactions transactions = new FreshTransactions(setup.manager);
            long version = transactions.run(() -> {
                long read = setup.count("SELECT version FROM seat WHERE id = 1");
                return seats.update(1, read, Map.of("amount", 1));
            });
            // end snippet
            assertThat(version).isEqualTo(1);
            assertThat(setup.count("SELECT id FROM orders")).isEqualTo(id);
        }
    }
}
