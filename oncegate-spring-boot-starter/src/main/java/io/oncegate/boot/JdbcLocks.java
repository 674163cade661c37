package io.oncegate.boot;

import io.oncegate.core.lock.LockStore;
import io.oncegate.jdbc.JdbcLockStore;
import io.oncegate.jdbc.JdbcSchema;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

/** The table of locks in the application's database: checked before it is used, and cleaned as long as it is. */
final class JdbcLocks implements AutoCloseable {
    private final JdbcLockStore table;
    private final RecordCleaner cleaner;

    /**
     * Checks the table, and begins to clean it.
     *
     * @param callerTransactions whether the calling thread has a transaction open that holds a connection
     */
    JdbcLocks(DataSource source, OncegateProperties properties, BooleanSupplier callerTransactions) {
        JdbcSettings settings = properties.jdbc();
        JdbcRecords.prepare(JdbcSchema.locks(source), settings.createSchema());
        JdbcLockStore.Builder builder = JdbcLockStore.builder(source)
                .callerTransactions(callerTransactions)
                .secondConnection(properties.locks().secondConnection());
        if (settings.timeout() != null) {
            builder.timeout(settings.timeout());
        }
        if (settings.purgeMargin() != null) {
            builder.purgeMargin(settings.purgeMargin());
        }
        this.table = builder.build();
        this.cleaner = new RecordCleaner(limit -> table.purge(limit) > 0, properties.purge());
    }

    LockStore store() {
        return table;
    }

    @Override
    public void close() {
        cleaner.close();
    }
}
