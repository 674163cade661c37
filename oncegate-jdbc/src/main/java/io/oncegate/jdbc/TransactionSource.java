package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Where {@link JdbcTransactionalRecordStore} gets its transactions from. Thread-safe. */
public interface TransactionSource {
    /**
     * Joins the caller's transaction if there is one, else begins one.
     *
     * @throws SQLException if there is no connection to be had
     * @throws IllegalStateException if the caller's connection is in auto-commit
     */
    JdbcTransaction begin() throws SQLException;

    /** Always transactions of their own, each on a connection of this source. */
    static TransactionSource of(DataSource source) {
        return () -> OwnTransaction.begin(source);
    }

    /**
     * The transaction on the caller's connection where there is one, else one of its own. A joined transaction takes no
     * connection from the data source, and costs two round trips more: a savepoint, so that the record and the business
     * can be undone while the caller's transaction stays usable, and its release.
     *
     * @param callers hands out the connection of the calling thread's transaction, or null where it has none
     */
    static TransactionSource joining(Supplier<? extends @Nullable Connection> callers, DataSource source) {
        return () -> {
            Connection connection = callers.get();
            return connection == null ? OwnTransaction.begin(source) : JoinedTransaction.join(connection);
        };
    }
}
