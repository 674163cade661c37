package io.oncegate.spring.tx.internal;

import javax.sql.DataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** Finds the data source that Spring's transaction managers bind connections of. */
public final class DataSources {
    private DataSources() {}

    /** The one behind a transaction-aware proxy, as the managers take it. */
    public static DataSource target(DataSource dataSource) {
        if (dataSource instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null) {
            return proxy.getTargetDataSource();
        }
        return dataSource;
    }
}
