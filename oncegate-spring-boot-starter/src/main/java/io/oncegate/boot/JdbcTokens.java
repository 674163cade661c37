package io.oncegate.boot;

import io.oncegate.core.token.TokenStore;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.jdbc.JdbcTokenStore;
import javax.sql.DataSource;

/** The table of strict tokens in the application's database: checked before it is used, and cleaned as long as it is. */
final class JdbcTokens implements AutoCloseable {
    private final JdbcTokenStore table;
    private final RecordCleaner cleaner;

    JdbcTokens(DataSource source, JdbcSettings settings, PurgeSettings purge) {
        JdbcRecords.prepare(JdbcSchema.tokens(source), settings.createSchema());
        JdbcTokenStore.Builder builder = JdbcTokenStore.builder(source);
        if (settings.timeout() != null) {
            builder.timeout(settings.timeout());
        }
        this.table = builder.build();
        this.cleaner = new RecordCleaner(limit -> table.purge(limit) == limit, purge);
    }

    TokenStore store() {
        return table;
    }

    @Override
    public void close() {
        cleaner.close();
    }
}
