package io.oncegate.jdbc;

/** The contract of locks on H2. */
class JdbcLocksTest extends JdbcLocksChecks {
    JdbcLocksTest() {
        super(TestSetup.H2);
    }
}
