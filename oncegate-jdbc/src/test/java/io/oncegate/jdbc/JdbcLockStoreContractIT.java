package io.oncegate.jdbc;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Lock stores on the database servers, with the drivers and driver settings that change how they answer. */
class JdbcLockStoreContractIT {
    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("JdbcLockStoreContractIT OnPostgres")
    class OnPostgres extends JdbcLockStoreChecks {
        OnPostgres() {
            super(TestSetup.POSTGRESQL);
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("JdbcLockStoreContractIT OnPostgresWithRepeatableReadAndNoAutoCommit")
    class OnPostgresWithRepeatableReadAndNoAutoCommit extends JdbcLockStoreChecks {
        OnPostgresWithRepeatableReadAndNoAutoCommit() {
            super(TestSetup.POSTGRESQL_REPEATABLE_READ);
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("JdbcLockStoreContractIT OnMariaDbCountingChangedRowsWithoutAutoCommit")
    class OnMariaDbCountingChangedRowsWithoutAutoCommit extends JdbcLockStoreChecks {
        OnMariaDbCountingChangedRowsWithoutAutoCommit() {
            super(TestSetup.MARIADB_CHANGED_ROWS);
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("JdbcLockStoreContractIT OnMariaDbByMySqlDriverCountingChangedRows")
    class OnMariaDbByMySqlDriverCountingChangedRows extends JdbcLockStoreChecks {
        OnMariaDbByMySqlDriverCountingChangedRows() {
            super(TestSetup.MARIADB_BY_MYSQL_DRIVER_CHANGED_ROWS);
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("JdbcLockStoreContractIT WithMySqlDialectByMariaDbDriver")
    class WithMySqlDialectByMariaDbDriver extends JdbcLockStoreChecks {
        WithMySqlDialectByMariaDbDriver() {
            super(TestSetup.MYSQL_DIALECT_BY_MARIADB_DRIVER);
        }
    }
}
