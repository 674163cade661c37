package io.oncegate.jdbc;

import org.junit.jupiter.api.Nested;

/** Claimed mode on the database servers, with the drivers and driver settings that change how they answer. */
class JdbcRecordStoreContractIT {
    @Nested
    class OnPostgres extends JdbcRecordStoreChecks {
        OnPostgres() {
            super(TestSetup.POSTGRESQL);
        }
    }

    @Nested
    class OnPostgresWithRepeatableReadAndNoAutoCommit extends JdbcRecordStoreChecks {
        OnPostgresWithRepeatableReadAndNoAutoCommit() {
            super(TestSetup.POSTGRESQL_REPEATABLE_READ);
        }
    }

    @Nested
    class OnMariaDb extends JdbcRecordStoreChecks {
        OnMariaDb() {
            super(TestSetup.MARIADB);
        }
    }

    @Nested
    class OnMariaDbCountingChangedRowsWithoutAutoCommit extends JdbcRecordStoreChecks {
        OnMariaDbCountingChangedRowsWithoutAutoCommit() {
            super(TestSetup.MARIADB_CHANGED_ROWS);
        }
    }

    @Nested
    class OnMariaDbByMySqlDriverCountingChangedRows extends JdbcRecordStoreChecks {
        OnMariaDbByMySqlDriverCountingChangedRows() {
            super(TestSetup.MARIADB_BY_MYSQL_DRIVER_CHANGED_ROWS);
        }
    }

    @Nested
    class WithMySqlDialect extends JdbcRecordStoreChecks {
        WithMySqlDialect() {
            super(TestSetup.MYSQL_DIALECT);
        }
    }

    @Nested
    class WithMySqlDialectByMariaDbDriver extends JdbcRecordStoreChecks {
        WithMySqlDialectByMariaDbDriver() {
            super(TestSetup.MYSQL_DIALECT_BY_MARIADB_DRIVER);
        }
    }
}
