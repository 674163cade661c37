package io.oncegate.jdbc;

import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.TokenStore;
import io.oncegate.testkit.StoreBackend;
import io.oncegate.testkit.TokenStoreAbilities;
import io.oncegate.testkit.TokenStoreContract;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** The contract of tokens on one setup. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcTokenStoreChecks extends TokenStoreContract {
    private final TestSetup setup;
    private TestSetup.Open open;
    private TokenStore store;
    private TokenStore twin;

    JdbcTokenStoreChecks(TestSetup setup) {
        this.setup = setup;
    }

    @BeforeAll
    void open() {
        open = setup.open();
        JdbcSchema.tokens(open.small).create();
        store = handle();
        twin = handle();
    }

    private TokenStore handle() {
        JdbcTokenStore.Builder builder = JdbcTokenStore.builder(open.pool(8)).timeout(Duration.ofSeconds(20));
        if (setup.mysqlDialect()) {
            builder.dialect(new MySqlDialect(JdbcTokenStore.DEFAULT_TABLE));
        }
        return builder.build();
    }

    @AfterAll
    void close() {
        open.close();
    }

    @Override
    protected TokenStore store() {
        return store;
    }

    @Override
    protected TokenStore twin() {
        return twin;
    }

    @Override
    protected StoreBackend backend() {
        return open.backend();
    }

    @Override
    protected long kept(TokenRef token) {
        try (Connection connection = open.small.getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("SELECT COUNT(*) FROM oncegate_token WHERE subject = ?")) {
            connection.setAutoCommit(true);
            statement.setBytes(1, token.subject());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected TokenStoreAbilities abilities() {
        return new TokenStoreAbilities(10, 250);
    }
}
