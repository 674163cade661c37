package io.oncegate.boot;

import io.oncegate.jdbc.FenceTable;
import io.oncegate.jdbc.JdbcSchema;
import javax.sql.DataSource;

/** The table of fences in the application's database: checked before it is used, and cleaned as long as it is. */
final class JdbcFences implements AutoCloseable {
    private final FenceTable table;
    private final RecordCleaner cleaner;

    JdbcFences(DataSource source, OncegateProperties properties) {
        JdbcRecords.prepare(JdbcSchema.fences(source), properties.jdbc().createSchema());
        this.table = FenceTable.of();
        this.cleaner = new RecordCleaner(
                limit -> table.purge(source, properties.locks().untouched(), limit) == limit, properties.purge());
    }

    FenceTable table() {
        return table;
    }

    @Override
    public void close() {
        cleaner.close();
    }
}
