package io.oncegate.jdbc;

import org.junit.jupiter.api.Nested;

/** Locks on the database servers, and with MySQL's driver. */
class JdbcLocksContractIT {
    @Nested
    class OnPostgres extends JdbcLocksChecks {
        OnPostgres() {
            super(TestSetup.POSTGRESQL);
        }
    }

    @Nested
    class OnMariaDb extends JdbcLocksChecks {
        OnMariaDb() {
            super(TestSetup.MARIADB);
        }
    }

    @Nested
    class OnMariaDbByMySqlDriverCountingChangedRows extends JdbcLocksChecks {
        OnMariaDbByMySqlDriverCountingChangedRows() {
            super(TestSetup.MARIADB_BY_MYSQL_DRIVER_CHANGED_ROWS);
        }
    }
}
