package io.oncegate.jdbc;

import org.junit.jupiter.api.Nested;

/** Same-transaction mode on the database servers, with the drivers and driver settings that change how they answer. */
class JdbcTransactionalRecordStoreContractIT {
    @Nested
    class OnPostgres extends JdbcTransactionalChecks {
        OnPostgres() {
            super(TestSetup.POSTGRESQL);
        }
    }

    @Nested
    class OnMariaDb extends JdbcTransactionalChecks {
        OnMariaDb() {
            super(TestSetup.MARIADB);
        }
    }

    @Nested
    class OnMariaDbCountingChangedRows extends JdbcTransactionalChecks {
        OnMariaDbCountingChangedRows() {
            super(TestSetup.MARIADB_CHANGED_ROWS);
        }
    }

    @Nested
    class OnMariaDbByMySqlDriver extends JdbcTransactionalChecks {
        OnMariaDbByMySqlDriver() {
            super(TestSetup.MARIADB_BY_MYSQL_DRIVER);
        }
    }

    @Nested
    class OnMariaDbByMySqlDriverCountingChangedRows extends JdbcTransactionalChecks {
        OnMariaDbByMySqlDriverCountingChangedRows() {
            super(TestSetup.MARIADB_BY_MYSQL_DRIVER_CHANGED_ROWS);
        }
    }

    @Nested
    class WithMySqlDialect extends JdbcTransactionalChecks {
        WithMySqlDialect() {
            super(TestSetup.MYSQL_DIALECT);
        }
    }
}
