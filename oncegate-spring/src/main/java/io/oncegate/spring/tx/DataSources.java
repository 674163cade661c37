package io.oncegate.spring.tx;

import javax.sql.DataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** Finds the data source that Spring's transaction managers bind connections of. */
final class DataSources {
    private DataSources() {}

    /** The one behind a transaction-aware proxy, as the managers take it. */
    static DataSource target(DataSource dataSource) {
        if (dataSource instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null) {
            return proxy.getTargetDataSource();
        }
        return dataSource;
    }
}
