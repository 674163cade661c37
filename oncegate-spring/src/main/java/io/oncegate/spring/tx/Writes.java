package io.oncegate.spring.tx;

import java.util.Objects;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Single writes that commit with the current transaction of Spring's, or by themselves. */
final class Writes {
    private Writes() {}

    /**
     * Runs a write on the current transaction's connection, or alone where none is open.
     *
     * @throws IllegalStateException if no transaction is open on the data source and its connections are not in auto-commit; the
     *     write would be lost
     */
    static <T> T run(JdbcTemplate jdbc, ConnectionCallback<T> write) {
        // Asked first: what has its connection in the callback is bound to the thread, also in another's transaction.
        boolean within = TransactionSynchronizationManager.isActualTransactionActive()
                && OpenTransactions.on(Objects.requireNonNull(jdbc.getDataSource()))
                        .getAsBoolean();
        return Objects.requireNonNull(jdbc.execute((ConnectionCallback<T>) connection -> {
            if (within || connection.getAutoCommit()) {
                return write.doInConnection(connection);
            }
            throw new IllegalStateException(
                    "no transaction is open on this data source, and its connections are not in"
                            + " auto-commit, so that the write would be lost; call it in a @Transactional method of its manager");
        }));
    }
}
