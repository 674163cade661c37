package io.oncegate.jdbc;

import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.TransactionalRecordStore;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Keeps records in the database and the transaction of the business itself (<em>same-transaction</em> mode). Thread-safe.
 *
 * <ol>
 *   <li>The first statement of the operation inserts the record, already settled: one round trip. As long as the
 *       transaction is open nobody else can see it; a second request for the key waits for a bounded time at most.
 *   <li>The business writes through the same connection.
 *   <li>Where there is a result, an update puts it into the record.
 *   <li>The commit makes all of it true at once; a rollback leaves nothing.
 * </ol>
 *
 * <p>The record has to be in the same database as the business's rows. Under READ COMMITTED, and with MariaDB and MySQL
 * under REPEATABLE READ too, a request that lost the race is given the winner's record. PostgreSQL under REPEATABLE READ
 * or SERIALIZABLE cannot show a record that is newer than the transaction's snapshot: that is a
 * {@link io.oncegate.core.spi.TransactionDeadException}, and a new transaction will see it.
 */
public final class JdbcTransactionalRecordStore implements TransactionalRecordStore {
    private final TransactionSource source;
    private final String name;
    private final RecordTransactions settings;

    private JdbcTransactionalRecordStore(Builder builder) {
        this.source = builder.source;
        this.name = "jdbc:" + builder.dialects.table();
        this.settings = new RecordTransactions(
                name, builder.dialects, builder.timeout, RecordMachine.micros(builder.purgeMargin));
    }

    /** A store on the table {@code oncegate_record}, with transactions of its own. */
    public static JdbcTransactionalRecordStore of(DataSource source) {
        return builder(TransactionSource.of(source)).build();
    }

    /** Begins a store that gets its transactions from this source. */
    public static Builder builder(TransactionSource source) {
        return new Builder(source);
    }

    @Override
    public String name() {
        return name;
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException if the caller's connection is in auto-commit
     */
    @Override
    public RecordTransaction begin() {
        try {
            return settings.in(source.begin());
        } catch (SQLException e) {
            throw JdbcCalls.unavailable(name, "the beginning of a transaction", e);
        }
    }

    /** Collects the settings of a store. Not thread-safe. */
    public static final class Builder {
        private final TransactionSource source;
        private Dialects dialects = new Dialects(Dialects.DEFAULT_TABLE, 0);
        private Duration timeout = JdbcRecordStore.DEFAULT_TIMEOUT;
        private Duration purgeMargin = JdbcRecordStore.DEFAULT_PURGE_MARGIN;

        private Builder(TransactionSource source) {
            this.source = source;
        }

        /**
         * The table's name, with its schema's name and a dot before it if need be.
         *
         * @throws IllegalArgumentException if it is no plain name
         */
        public Builder table(String table) {
            this.dialects = new Dialects(table, 0);
            return this;
        }

        /** How long each of the store's own statements and an own commit may take; 100 ms or more. */
        public Builder timeout(Duration timeout) {
            this.timeout = JdbcRecordStore.Builder.requireTimeout(timeout);
            return this;
        }

        /** As {@link JdbcRecordStore.Builder#purgeMargin}: give both stores of a table the same. */
        public Builder purgeMargin(Duration purgeMargin) {
            if (purgeMargin.isNegative()) {
                throw new IllegalArgumentException("a purge margin is not negative");
            }
            this.purgeMargin = purgeMargin;
            return this;
        }

        /** Takes this dialect for the database's. */
        Builder dialect(Dialect dialect) {
            this.dialects = new Dialects(dialect);
            return this;
        }

        /** The store. The database is not asked for anything yet; {@link JdbcSchema#check} does that. */
        public JdbcTransactionalRecordStore build() {
            return new JdbcTransactionalRecordStore(this);
        }
    }
}
