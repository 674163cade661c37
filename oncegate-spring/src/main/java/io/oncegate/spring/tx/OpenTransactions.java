package io.oncegate.spring.tx;

import io.oncegate.spring.tx.internal.DataSources;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Says whether a transaction of Spring's is open on the calling thread and holds a connection. */
public final class OpenTransactions {
    private OpenTransactions() {}

    /**
     * The question whether the calling thread has a connection of this data source bound to it, until its transaction, or what
     * stands for one, has ended: for {@code JdbcLockStore.Builder.callerTransactions}. Still so within the callbacks after the
     * commit. Thread-safe; asks nobody.
     *
     * @param dataSource the one that the transaction manager works on
     */
    public static BooleanSupplier on(DataSource dataSource) {
        DataSource target = DataSources.target(dataSource);
        return () -> TransactionSynchronizationManager.getResource(target) instanceof ConnectionHolder;
    }
}
