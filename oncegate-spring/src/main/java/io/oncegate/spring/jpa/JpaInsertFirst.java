package io.oncegate.spring.jpa;

import io.oncegate.core.error.InProgressException;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.MismatchException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.jdbc.Inserted;
import io.oncegate.jdbc.RetryPolicy;
import io.oncegate.jdbc.SchemaException;
import io.oncegate.jdbc.UniqueConstraint;
import io.oncegate.spring.tx.internal.Comparison;
import io.oncegate.spring.tx.internal.FirstInsert;
import io.oncegate.spring.tx.internal.InsertSettings;
import jakarta.persistence.EntityManagerFactory;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * "Insert, and if it is there return what is there" for an entity of Hibernate's. Thread-safe.
 *
 * <p>It is an INSERT whatever the entity carries, also with an assigned id: never a merge, never an update. It runs in a session of
 * its own on the transaction's connection, so that the caller's persistence context never sees a failed flush. The caller's
 * pending changes are flushed before.
 *
 * <p>Inside a transaction the returned entity is managed, another instance than the one given in, and current; the given one stays detached.
 * Where the transaction's snapshot hides the winner (PostgreSQL, REPEATABLE READ) it is read on a spare connection and detached.
 * Outside a transaction it has one of its own, and what is returned is detached.
 *
 * @param <T> the entity
 */
public final class JpaInsertFirst<T> {
    private final FirstInsert<T> first;
    private final JpaRows<T> rows;

    private JpaInsertFirst(FirstInsert<T> first, JpaRows<T> rows) {
        this.first = first;
        this.rows = rows;
    }

    /**
     * Begins to build one.
     *
     * @param factory whose persistence contexts the callers use, as Spring has it
     * @param manager the transactions that these take part in
     */
    public static <T> Builder<T> of(Class<T> entity, EntityManagerFactory factory, PlatformTransactionManager manager) {
        return new Builder<>(entity, factory, InsertSettings.of(manager));
    }

    /**
     * Inserts the entity, or finds the one that was there.
     *
     * @param entity a new one; the same instance may be given again after a failure
     * @throws MismatchException if one is there whose named content differs
     * @throws InProgressException if another transaction has not ended within the time to wait; the caller's transaction is usable
     * @throws StoreUnavailableException if one is there that was not to be read; the message says why and what to do
     * @throws SchemaException if another key is the same as this one to the column's collation
     * @throws InvalidKeyException if an attribute of the guard is null, blank or too long
     * @throws IllegalArgumentException if the entity has been stored before
     * @throws RuntimeException of Hibernate for everything else; the caller's transaction is as before, or, after a deadlock,
     *     marked for rollback
     */
    public Inserted<T> insert(T entity) {
        return first.insert(entity);
    }

    /**
     * Looks at start-up whether the guard is there, and guards exactly the columns of its attributes: none may be null, or be
     * compared by a collation that takes different texts for the same. For tables and columns of plain names.
     *
     * @throws SchemaException naming all that is wrong, and what to do
     * @throws RuntimeException of Hibernate if the database cannot be asked
     */
    public void check() {
        rows.check(first.guard());
    }

    /**
     * Sets it up. Not thread-safe.
     *
     * @param <T> the entity
     */
    public static final class Builder<T> {
        private final Class<T> entity;
        private final EntityManagerFactory factory;
        private InsertSettings settings;
        private List<Attribute<T>> key = List.of();
        private @Nullable List<Attribute<T>> content;

        Builder(Class<T> entity, EntityManagerFactory factory, InsertSettings settings) {
            this.entity = entity;
            this.factory = factory;
            this.settings = settings;
        }

        /**
         * The constraint that decides, and the attributes of its columns, all of them.
         *
         * @param attributes names, with dots into embeddables
         */
        public Builder<T> guard(UniqueConstraint constraint, String... attributes) {
            settings = settings.guard(constraint);
            key = Attribute.all(factory, entity, attributes);
            return this;
        }

        /** The attributes that a repetition has to agree in. */
        public Builder<T> content(String... attributes) {
            content = Attribute.all(factory, entity, attributes);
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
        public JpaInsertFirst<T> build() {
            if (key.isEmpty() || content == null) {
                throw new IllegalArgumentException(
                        "insert-first needs guard(constraint, attributes), and content(attributes) or" + " keyAlone()");
            }
            Comparison<T> comparison =
                    new Comparison<>(entity.getSimpleName(), Attribute.fields(key), Attribute.fields(content));
            JpaRows<T> rows = new JpaRows<>(entity, factory, key);
            return new JpaInsertFirst<>(new FirstInsert<>(rows, comparison, settings), rows);
        }
    }
}
