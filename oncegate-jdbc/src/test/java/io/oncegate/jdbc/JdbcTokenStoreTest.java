package io.oncegate.jdbc;

/** Tokens on H2. */
class JdbcTokenStoreTest extends JdbcTokenStoreChecks {
    JdbcTokenStoreTest() {
        super(TestSetup.H2);
    }
}
