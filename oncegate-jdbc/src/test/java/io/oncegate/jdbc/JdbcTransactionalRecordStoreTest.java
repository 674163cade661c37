package io.oncegate.jdbc;

/** Same-transaction mode on H2. */
class JdbcTransactionalRecordStoreTest extends JdbcTransactionalChecks {
    JdbcTransactionalRecordStoreTest() {
        super(TestSetup.H2);
    }
}
