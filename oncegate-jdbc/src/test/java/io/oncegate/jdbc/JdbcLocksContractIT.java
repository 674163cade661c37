package io.oncegate.jdbc;

import org.junit.jupiter.api.Nested;

/** Locks on the database servers. */
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
}
