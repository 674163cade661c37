package io.oncegate.spring.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.transaction.TransactionDefinition.ISOLATION_REPEATABLE_READ;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.jdbc.InsertFirst;
import io.oncegate.jdbc.Inserted;
import io.oncegate.jdbc.RetryPolicy;
import io.oncegate.jdbc.UniqueConstraint;
import io.oncegate.testsupport.Databases;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/** Insert-first under PostgreSQL's REPEATABLE READ, where it needs a spare connection while the callers have taken all. */
@DisplayName("C99: insert-first and its spare connection on a small pool")
class SparePoolIT {
    private static final int CALLERS = 50;
    private static final int SIZE = 10;
    private static final Map<String, Object> VALUES = Map.of("user_id", 7L, "request_id", "k", "amount", 10);

    private static SpringInsertFirst orders(DataSetup setup, DataSource spare) {
        return new SpringInsertFirst(
                setup.pool,
                InsertFirst.into("orders")
                        .guard(UniqueConstraint.named("uk_request"), "user_id", "request_id")
                        .content("amount")
                        .spare(spare)
                        .waitUpTo(Duration.ofMinutes(1))
                        .build());
    }

    /** The winner, who commits on a connection of its own once as many callers as the pool has have their snapshots. */
    private static CyclicBarrier winner(DataSetup setup) {
        return new CyclicBarrier(
                SIZE,
                () -> setup.jdbcApart()
                        .sql("INSERT INTO orders (user_id, request_id, amount) VALUES (7, 'k', 10)")
                        .update());
    }

    @Test
    @DisplayName("a spare pool of one serves 50 callers on a pool of 10, none of whom has to try again")
    void aSparePoolOfItsOwn() throws Exception {
        try (DataSetup setup = new DataSetup(Databases.POSTGRESQL, SIZE)) {
            AtomicInteger begun = new AtomicInteger();
            CyclicBarrier won = winner(setup);
            TransactionTemplate outer = setup.transaction(ISOLATION_REPEATABLE_READ);
            List<Inserted<Long>> found = Callers.together(
                    CALLERS,
                    number -> outer.execute(status -> {
                        setup.count("SELECT COUNT(*) FROM orders"); // the snapshot
                        if (begun.incrementAndGet() <= SIZE) {
                            Callers.await(won);
                        }
                        Inserted<Long> one = setup.orders.insert(VALUES, DataSetup.ID);
                        setup.note("caller " + number);
                        return one;
                    }));
            assertThat(found)
                    .containsOnly(new Inserted<>(setup.count("SELECT id FROM orders WHERE request_id = 'k'"), false));
            assertThat(setup.count("SELECT COUNT(*) FROM note")).isEqualTo(CALLERS);
            Callers.assertWhole(setup.pool);
        }
    }

    @Test
    @DisplayName(
            "a spare connection of the same, empty pool: a typed error in time, and a fresh transaction sees the row")
    void theSamePool() throws Exception {
        try (DataSetup setup = new DataSetup(Databases.POSTGRESQL, SIZE, Duration.ofSeconds(1))) {
            SpringInsertFirst orders = orders(setup, setup.pool);
            AtomicInteger refused = new AtomicInteger();
            CyclicBarrier won = winner(setup);
            FreshTransactions transactions = new FreshTransactions(
                    setup.manager,
                    RetryPolicy.DEFAULT.withAttempts(10).withinTime(Duration.ofMinutes(2)),
                    setup.isolated(ISOLATION_REPEATABLE_READ));
            List<Inserted<Long>> found = Callers.together(SIZE, number -> {
                AtomicBoolean again = new AtomicBoolean();
                while (true) {
                    try {
                        return transactions.run(() -> {
                            setup.count("SELECT COUNT(*) FROM orders"); // the snapshot
                            if (!again.getAndSet(true)) {
                                Callers.await(won);
                            }
                            try {
                                return orders.insert(VALUES, DataSetup.ID);
                            } catch (StoreUnavailableException e) {
                                refused.incrementAndGet();
                                throw e;
                            }
                        });
                    } catch (CannotCreateTransactionException e) {
                        // the pool's time-out again, on a slow machine
                    }
                }
            });
            assertThat(refused).hasPositiveValue();
            assertThat(found)
                    .containsOnly(new Inserted<>(setup.count("SELECT id FROM orders WHERE request_id = 'k'"), false));
            Callers.assertWhole(setup.pool);
        }
    }
}
