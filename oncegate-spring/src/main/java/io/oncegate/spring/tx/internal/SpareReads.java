package io.oncegate.spring.tx.internal;

import io.oncegate.jdbc.SpareRead;
import java.sql.SQLException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/** Reads in a second transaction of the caller's thread, for one caller at a time. Thread-safe. */
final class SpareReads {
    private final SpareRead turns;
    private final TransactionTemplate fresh;

    SpareReads(SpareRead turns, TransactionTemplate fresh) {
        this.turns = turns;
        this.fresh = fresh;
    }

    <T> @Nullable T read(Supplier<@Nullable T> work) {
        return turns.read(() -> {
            try {
                return fresh.execute(status -> work.get());
            } catch (CannotCreateTransactionException e) {
                throw new SQLException("no second transaction could begin", e);
            }
        });
    }
}
