package io.oncegate.jdbc;

/** The contract of lock stores on H2. */
class JdbcLockStoreTest extends JdbcLockStoreChecks {
    JdbcLockStoreTest() {
        super(TestSetup.H2);
    }
}
