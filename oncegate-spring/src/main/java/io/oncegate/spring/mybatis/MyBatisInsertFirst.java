package io.oncegate.spring.mybatis;

import io.oncegate.core.error.InProgressException;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.MismatchException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.jdbc.Inserted;
import io.oncegate.jdbc.RetryPolicy;
import io.oncegate.jdbc.SchemaException;
import io.oncegate.jdbc.UniqueConstraint;
import io.oncegate.spring.tx.internal.Comparison;
import io.oncegate.spring.tx.internal.Field;
import io.oncegate.spring.tx.internal.FirstInsert;
import io.oncegate.spring.tx.internal.InsertSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;
import org.mybatis.spring.SqlSessionTemplate;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * "Insert, and if it is there return what is there" for a mapper of MyBatis. Thread-safe.
 *
 * <p>The mapper's own insert runs in the caller's session. A statement that inserts nothing, such as {@code INSERT IGNORE}, is taken for
 * a duplicate; one that updates what is there cannot be told from an insert and is not to be used. The look-up runs in a session
 * without the caller's caches. With MariaDB and MySQL its queries become locking reads where the transaction's snapshot would hide the
 * winner, also if they do not say so. Where that does not help (PostgreSQL, REPEATABLE READ), the winner is read on a spare connection.
 *
 * <p>Inside a transaction the insert stands behind a savepoint; outside it has a transaction of its own.
 *
 * @param <M> the mapper's interface
 * @param <T> what a row is mapped to
 */
public final class MyBatisInsertFirst<M, T> {
    private final FirstInsert<T> first;

    private MyBatisInsertFirst(FirstInsert<T> first) {
        this.first = first;
    }

    /**
     * Begins to build one.
     *
     * @param sessions the template that the application's mappers work with
     * @param manager the transactions of its data source
     */
    public static <M, T> Builder<M, T> of(
            Class<M> mapper, Class<T> row, SqlSessionTemplate sessions, PlatformTransactionManager manager) {
        return new Builder<>(mapper, row, sessions, InsertSettings.of(manager));
    }

    /**
     * Inserts the row, or finds the one that was there. Where it was there, the given object is not to be used any more.
     *
     * @throws MismatchException if one is there whose named content differs
     * @throws InProgressException if another transaction has not ended within the time to wait; the caller's transaction is usable
     * @throws StoreUnavailableException if one is there that was not to be read; the message says why and what to do
     * @throws SchemaException if another key is the same as this one to the column's collation
     * @throws InvalidKeyException if a value of the guard is null, blank or too long
     * @throws RuntimeException of MyBatis and Spring for everything else; the caller's transaction is as before, or, after a deadlock,
     *     marked for rollback
     */
    public Inserted<T> insert(T row) {
        return first.insert(row);
    }

    /**
     * Sets it up. Not thread-safe.
     *
     * @param <M> the mapper's interface
     * @param <T> what a row is mapped to
     */
    public static final class Builder<M, T> {
        private final Class<M> mapper;
        private final Class<T> row;
        private final SqlSessionTemplate sessions;
        private InsertSettings settings;
        private @Nullable ToIntBiFunction<M, T> insert;
        private @Nullable BiFunction<M, T, @Nullable T> find;
        private final List<Field<T>> key = new ArrayList<>();
        private final List<Field<T>> content = new ArrayList<>();
        private boolean keyAlone;

        Builder(Class<M> mapper, Class<T> row, SqlSessionTemplate sessions, InsertSettings settings) {
            this.mapper = mapper;
            this.row = row;
            this.sessions = sessions;
            this.settings = settings;
        }

        /** The mapper's insert, which returns how many rows it has inserted: {@code OrderMapper::insert}. */
        public Builder<M, T> insert(ToIntBiFunction<M, T> statement) {
            insert = statement;
            return this;
        }

        /** The mapper's look-up by the columns of the guard; null if there is no such row. */
        public Builder<M, T> find(BiFunction<M, T, @Nullable T> statement) {
            find = statement;
            return this;
        }

        /** The constraint that decides. */
        public Builder<M, T> guard(UniqueConstraint constraint) {
            settings = settings.guard(constraint);
            return this;
        }

        /** A value of the guard's, one call for each of its columns. */
        public Builder<M, T> key(String name, Function<? super T, ? extends @Nullable Object> value) {
            key.add(new Field<>(name, value));
            return this;
        }

        /** A value that a repetition has to agree in. */
        public Builder<M, T> content(String name, Function<? super T, ? extends @Nullable Object> value) {
            content.add(new Field<>(name, value));
            return this;
        }

        /** The guard alone makes a repetition, whatever else it says. */
        public Builder<M, T> keyAlone() {
            keyAlone = true;
            return this;
        }

        /** How often an own transaction is tried after a deadlock; {@link RetryPolicy#DEFAULT} unless said otherwise. */
        public Builder<M, T> retry(RetryPolicy policy) {
            settings = settings.retry(policy);
            return this;
        }

        /** The longest wait for another transaction at work on the same row; 5 s unless said otherwise. */
        public Builder<M, T> waitUpTo(Duration wait) {
            settings = settings.lockWait(wait);
            return this;
        }

        /**
         * Lets a winner that the caller's snapshot hides be read on a second connection, one caller at a time: the pool needs one
         * connection more than there are callers.
         */
        public Builder<M, T> spareConnection() {
            settings = settings.withSpare();
            return this;
        }

        /**
         * Builds it.
         *
         * @throws IllegalArgumentException if insert, find, guard, key, or content or keyAlone, was not called
         */
        public MyBatisInsertFirst<M, T> build() {
            if (insert == null || find == null || key.isEmpty() || keyAlone != content.isEmpty()) {
                throw new IllegalArgumentException(
                        "insert-first needs insert(statement), find(statement), guard(constraint),"
                                + " key(name, value) for each of its columns, and either content(name, value) or keyAlone()");
            }
            MapperRows<M, T> rows = new MapperRows<>(sessions, mapper, insert, find);
            return new MyBatisInsertFirst<>(
                    new FirstInsert<>(rows, new Comparison<>(row.getSimpleName(), key, content), settings));
        }
    }
}
