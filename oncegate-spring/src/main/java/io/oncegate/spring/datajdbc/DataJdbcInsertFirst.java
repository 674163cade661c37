package io.oncegate.spring.datajdbc;

import io.oncegate.core.error.InProgressException;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.MismatchException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.jdbc.Inserted;
import io.oncegate.jdbc.RetryPolicy;
import io.oncegate.jdbc.SchemaException;
import io.oncegate.jdbc.UniqueConstraint;
import io.oncegate.spring.tx.internal.BoundConnection;
import io.oncegate.spring.tx.internal.Comparison;
import io.oncegate.spring.tx.internal.FirstInsert;
import io.oncegate.spring.tx.internal.InsertSettings;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.data.jdbc.core.JdbcAggregateOperations;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * "Insert, and if it is there return what is there" for an aggregate of Spring Data JDBC. Thread-safe.
 *
 * <p>It is {@code JdbcAggregateOperations.insert} whatever the aggregate carries: never an update. An aggregate is more than one row:
 * what has been written of a refused one is taken back.
 *
 * <p>Inside a transaction the insert stands behind a savepoint, and the winner is current: with MariaDB and MySQL by locking reads, of
 * the whole aggregate. Where the transaction's snapshot hides it otherwise (PostgreSQL, REPEATABLE READ), it is read on a spare
 * connection. Outside a transaction it has one of its own.
 *
 * @param <T> the aggregate's root
 */
public final class DataJdbcInsertFirst<T> {
    private final FirstInsert<T> first;
    private final AggregateRows<T> rows;

    private DataJdbcInsertFirst(FirstInsert<T> first, AggregateRows<T> rows) {
        this.first = first;
        this.rows = rows;
    }

    /**
     * Begins to build one.
     *
     * @param template the application's
     * @param dataSource the one that the template and the manager work on
     */
    public static <T> Builder<T> of(
            Class<T> aggregate,
            JdbcAggregateOperations template,
            DataSource dataSource,
            PlatformTransactionManager manager) {
        return new Builder<>(aggregate, template, dataSource, InsertSettings.of(manager));
    }

    /**
     * Inserts the aggregate, or finds the one that was there. Use what is returned: the given one does not change, or is half changed.
     *
     * @throws MismatchException if one is there whose named content differs
     * @throws InProgressException if another transaction has not ended within the time to wait; the caller's transaction is usable
     * @throws StoreUnavailableException if one is there that was not to be read; the message says why and what to do
     * @throws SchemaException if another key is the same as this one to the column's collation
     * @throws InvalidKeyException if a property of the guard is null, blank or too long
     * @throws RuntimeException of Spring Data JDBC for everything else; the caller's transaction is as before, or, after a deadlock,
     *     marked for rollback
     */
    public Inserted<T> insert(T aggregate) {
        return first.insert(aggregate);
    }

    /**
     * Looks at start-up whether the guard is there, and guards exactly the columns of its properties: none may be null, or be
     * compared by a collation that takes different texts for the same. For tables and columns of plain names.
     *
     * @throws SchemaException naming all that is wrong, and what to do
     * @throws StoreUnavailableException if the database cannot be asked
     */
    public void check() {
        rows.check(first.guard());
    }

    /**
     * Sets it up. Not thread-safe.
     *
     * @param <T> the aggregate's root
     */
    public static final class Builder<T> {
        private final Class<T> aggregate;
        private final JdbcAggregateOperations template;
        private final BoundConnection bound;
        private final Properties<T> properties;
        private InsertSettings settings;
        private List<String> key = List.of();
        private @Nullable List<String> content;

        Builder(Class<T> aggregate, JdbcAggregateOperations template, DataSource dataSource, InsertSettings settings) {
            this.aggregate = aggregate;
            this.template = template;
            this.bound = new BoundConnection(dataSource);
            this.properties = new Properties<>(aggregate, template);
            this.settings = settings;
        }

        /**
         * The constraint that decides, and the properties of its columns, all of them.
         *
         * @param names of the root's properties, with dots into what it embeds
         */
        public Builder<T> guard(UniqueConstraint constraint, String... names) {
            settings = settings.guard(constraint);
            key = properties.all(names);
            return this;
        }

        /** The properties that a repetition has to agree in. */
        public Builder<T> content(String... names) {
            content = properties.all(names);
            return this;
        }

        /** The guard alone makes a repetition, whatever else it says. */
        public Builder<T> keyAlone() {
            content = List.of();
            return this;
        }

        /** How often an own transaction is tried after a deadlock; {@link RetryPolicy#DEFAULT} unless said otherwise. */
        public Builder<T> retry(RetryPolicy policy) {
            settings = settings.retry(policy);
            return this;
        }

        /** The longest wait for another transaction at work on the same row; 5 s unless said otherwise. */
        public Builder<T> waitUpTo(Duration wait) {
            settings = settings.lockWait(wait);
            return this;
        }

        /**
         * Lets a winner that the caller's snapshot hides be read on a second connection, one caller at a time: the pool needs one
         * connection more than there are callers.
         */
        public Builder<T> spareConnection() {
            settings = settings.withSpare();
            return this;
        }

        /**
         * Builds it.
         *
         * @throws IllegalArgumentException if guard, or content or keyAlone, was not called
         */
        public DataJdbcInsertFirst<T> build() {
            if (key.isEmpty() || content == null) {
                throw new IllegalArgumentException(
                        "insert-first needs guard(constraint, properties), and content(properties) or" + " keyAlone()");
            }
            Comparison<T> comparison =
                    new Comparison<>(aggregate.getSimpleName(), properties.fields(key), properties.fields(content));
            AggregateRows<T> rows = new AggregateRows<>(aggregate, template, bound, properties, key);
            return new DataJdbcInsertFirst<>(new FirstInsert<>(rows, comparison, settings), rows);
        }
    }
}
