package io.oncegate.jdbc;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Locks on the database servers. */
class JdbcLocksContractIT {
    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("JdbcLocksContractIT OnPostgres")
    class OnPostgres extends JdbcLocksChecks {
        OnPostgres() {
            super(TestSetup.POSTGRESQL);
        }
    }

    @Nested
    @Execution(ExecutionMode.CONCURRENT)
    @ResourceLock("JdbcLocksContractIT OnMariaDb")
    class OnMariaDb extends JdbcLocksChecks {
        OnMariaDb() {
            super(TestSetup.MARIADB);
        }
    }
}
