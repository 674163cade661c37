package io.oncegate.jdbc;

import org.junit.jupiter.api.Nested;

/** Tokens on the database servers, with the drivers and driver settings that change how they answer. */
class JdbcTokenStoreContractIT {
    @Nested
    class OnPostgres extends JdbcTokenStoreChecks {
        OnPostgres() {
            super(TestSetup.POSTGRESQL);
        }
    }

    @Nested
    class OnPostgresWithRepeatableReadAndNoAutoCommit extends JdbcTokenStoreChecks {
        OnPostgresWithRepeatableReadAndNoAutoCommit() {
            super(TestSetup.POSTGRESQL_REPEATABLE_READ);
        }
    }

    @Nested
    class OnMariaDb extends JdbcTokenStoreChecks {
        OnMariaDb() {
            super(TestSetup.MARIADB);
        }
    }

    @Nested
    class OnMariaDbCountingChangedRowsWithoutAutoCommit extends JdbcTokenStoreChecks {
        OnMariaDbCountingChangedRowsWithoutAutoCommit() {
            super(TestSetup.MARIADB_CHANGED_ROWS);
        }
    }

    @Nested
    class WithMySqlDialect extends JdbcTokenStoreChecks {
        WithMySqlDialect() {
            super(TestSetup.MYSQL_DIALECT);
        }
    }
}
