package io.oncegate.jdbc;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Claimed mode on the database servers, with the drivers and driver settings that change how they answer. */
class JdbcRecordStoreContractIT {
    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("JdbcRecordStoreContractIT OnPostgres")
    class OnPostgres extends JdbcRecordStoreChecks {
        OnPostgres() {
            super(TestSetup.POSTGRESQL);
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("JdbcRecordStoreContractIT OnPostgresWithRepeatableReadAndNoAutoCommit")
    class OnPostgresWithRepeatableReadAndNoAutoCommit extends JdbcRecordStoreChecks {
        OnPostgresWithRepeatableReadAndNoAutoCommit() {
            super(TestSetup.POSTGRESQL_REPEATABLE_READ);
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("JdbcRecordStoreContractIT OnMariaDb")
    class OnMariaDb extends JdbcRecordStoreChecks {
        OnMariaDb() {
            super(TestSetup.MARIADB);
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("JdbcRecordStoreContractIT OnMariaDbCountingChangedRowsWithoutAutoCommit")
    class OnMariaDbCountingChangedRowsWithoutAutoCommit extends JdbcRecordStoreChecks {
        OnMariaDbCountingChangedRowsWithoutAutoCommit() {
            super(TestSetup.MARIADB_CHANGED_ROWS);
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("JdbcRecordStoreContractIT OnMariaDbByMySqlDriverCountingChangedRows")
    class OnMariaDbByMySqlDriverCountingChangedRows extends JdbcRecordStoreChecks {
        OnMariaDbByMySqlDriverCountingChangedRows() {
            super(TestSetup.MARIADB_BY_MYSQL_DRIVER_CHANGED_ROWS);
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("JdbcRecordStoreContractIT WithMySqlDialect")
    class WithMySqlDialect extends JdbcRecordStoreChecks {
        WithMySqlDialect() {
            super(TestSetup.MYSQL_DIALECT);
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("JdbcRecordStoreContractIT WithMySqlDialectByMariaDbDriver")
    class WithMySqlDialectByMariaDbDriver extends JdbcRecordStoreChecks {
        WithMySqlDialectByMariaDbDriver() {
            super(TestSetup.MYSQL_DIALECT_BY_MARIADB_DRIVER);
        }
    }
}
