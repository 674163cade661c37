package io.oncegate.jdbc;

import org.junit.jupiter.api.Nested;

/** Lock stores on the database servers, with the drivers and driver settings that change how they answer. */
class JdbcLockStoreContractIT {
    @Nested
    class OnPostgres extends JdbcLockStoreChecks {
        OnPostgres() {
            super(TestSetup.POSTGRESQL);
        }
    }

    @Nested
    class OnPostgresWithRepeatableReadAndNoAutoCommit extends JdbcLockStoreChecks {
        OnPostgresWithRepeatableReadAndNoAutoCommit() {
            super(TestSetup.POSTGRESQL_REPEATABLE_READ);
        }
    }

    @Nested
    class OnMariaDbCountingChangedRowsWithoutAutoCommit extends JdbcLockStoreChecks {
        OnMariaDbCountingChangedRowsWithoutAutoCommit() {
            super(TestSetup.MARIADB_CHANGED_ROWS);
        }
    }

    @Nested
    class OnMariaDbByMySqlDriverCountingChangedRows extends JdbcLockStoreChecks {
        OnMariaDbByMySqlDriverCountingChangedRows() {
            super(TestSetup.MARIADB_BY_MYSQL_DRIVER_CHANGED_ROWS);
        }
    }

    @Nested
    class WithMySqlDialectByMariaDbDriver extends JdbcLockStoreChecks {
        WithMySqlDialectByMariaDbDriver() {
            super(TestSetup.MYSQL_DIALECT_BY_MARIADB_DRIVER);
        }
    }
}
