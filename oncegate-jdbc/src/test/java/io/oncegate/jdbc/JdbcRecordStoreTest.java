package io.oncegate.jdbc;

/** Claimed mode on H2. */
class JdbcRecordStoreTest extends JdbcRecordStoreChecks {
    JdbcRecordStoreTest() {
        super(TestSetup.H2);
    }
}
