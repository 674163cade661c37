package io.oncegate.boot;

import io.oncegate.core.spi.TransactionalRecordStore;
import io.oncegate.jdbc.JdbcRecordStore;
import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.jdbc.JdbcTransactionalRecordStore;
import io.oncegate.jdbc.SchemaException;
import io.oncegate.jdbc.TransactionSource;
import javax.sql.DataSource;

/** The table of records in the application's database: checked before anybody uses it, and cleaned as long as it is used. */
final class JdbcRecords implements AutoCloseable {
    private final DataSource source;
    private final JdbcSettings settings;
    private final JdbcRecordStore table;
    private final RecordCleaner cleaner;

    JdbcRecords(DataSource source, JdbcSettings settings, PurgeSettings purge) {
        this.source = source;
        this.settings = settings;
        prepare(
                settings.table() == null ? JdbcSchema.of(source) : JdbcSchema.of(source, settings.table()),
                settings.createSchema());
        this.table = store();
        this.cleaner = new RecordCleaner(limit -> !table.purge(limit).isEmpty(), purge);
    }

    /** Checks a table, and creates a missing one where that is wanted. */
    static void prepare(JdbcSchema schema, boolean create) {
        try {
            schema.check();
        } catch (SchemaException missing) {
            if (!create) {
                throw missing;
            }
            schema.create();
            schema.check();
        }
    }

    private JdbcRecordStore store() {
        JdbcRecordStore.Builder builder = JdbcRecordStore.builder(source);
        if (settings.table() != null) {
            builder.table(settings.table());
        }
        if (settings.timeout() != null) {
            builder.timeout(settings.timeout());
        }
        if (settings.purgeMargin() != null) {
            builder.purgeMargin(settings.purgeMargin());
        }
        return builder.build();
    }

    JdbcRecordStore claimed() {
        return table;
    }

    TransactionalRecordStore transactional(TransactionSource transactions) {
        JdbcTransactionalRecordStore.Builder builder = JdbcTransactionalRecordStore.builder(transactions);
        if (settings.table() != null) {
            builder.table(settings.table());
        }
        if (settings.timeout() != null) {
            builder.timeout(settings.timeout());
        }
        if (settings.purgeMargin() != null) {
            builder.purgeMargin(settings.purgeMargin());
        }
        return builder.build();
    }

    @Override
    public void close() {
        cleaner.close();
    }
}
