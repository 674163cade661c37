package io.oncegate.spring.datajdbc;

import io.oncegate.core.error.StaleVersionException;
import io.oncegate.jdbc.VersionedUpdate;
import io.oncegate.spring.tx.internal.VersionMemory;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.jdbc.core.JdbcAggregateOperations;
import org.springframework.data.mapping.PersistentPropertyAccessor;
import org.springframework.data.relational.core.mapping.RelationalPersistentEntity;
import org.springframework.data.relational.core.mapping.RelationalPersistentProperty;

/**
 * Updates an aggregate of Spring Data JDBC under its {@code @Version}. Thread-safe.
 *
 * <p>It is always an update: {@code save} takes an aggregate without a version for a new one, this refuses it. The version of a
 * mutable aggregate rises with each success, and goes back when Spring's transaction is rolled back, or goes back to a savepoint
 * of Spring's.
 *
 * @param <T> the aggregate's root
 */
public final class DataJdbcVersionedUpdate<T> {
    private final Class<T> aggregate;
    private final JdbcAggregateOperations template;
    private final RelationalPersistentEntity<?> entity;
    private final RelationalPersistentProperty version;

    private DataJdbcVersionedUpdate(Class<T> aggregate, JdbcAggregateOperations template) {
        this.aggregate = aggregate;
        this.template = template;
        this.entity = new Properties<>(aggregate, template).entity();
        RelationalPersistentProperty property = entity.getVersionProperty();
        if (property == null) {
            throw new IllegalArgumentException(aggregate.getSimpleName() + " has no @Version; add one");
        }
        this.version = property;
    }

    /**
     * Creates it.
     *
     * @throws IllegalArgumentException if the aggregate has no {@code @Version}
     */
    public static <T> DataJdbcVersionedUpdate<T> of(Class<T> aggregate, JdbcAggregateOperations template) {
        return new DataJdbcVersionedUpdate<>(aggregate, template);
    }

    /**
     * Updates the aggregate.
     *
     * @return it with its new version; use this one
     * @throws StaleVersionException if the row has another version by now, or is gone; the given aggregate has the version it had
     * @throws IllegalArgumentException if its id or version is null, or the version negative, or 0 where it is a primitive; the
     *     database was not asked
     */
    public T update(T row) {
        PersistentPropertyAccessor<T> accessor = entity.getPropertyAccessor(row);
        Object before = accessor.getProperty(version);
        long expected = VersionedUpdate.requireVersion(aggregate.getSimpleName(), before);
        if (expected == 0 && version.getType().isPrimitive()) {
            throw new IllegalArgumentException("a primitive version of 0 is that of a new " + aggregate.getSimpleName()
                    + "; read the row first, or insert it");
        }
        if (entity.getIdentifierAccessor(row).getIdentifier() == null) {
            throw new IllegalArgumentException(
                    aggregate.getSimpleName() + " has no id, so that there is nothing to update; insert it");
        }
        try {
            T updated = template.update(row);
            if (updated == row) {
                VersionMemory.remember(() -> accessor.setProperty(version, before));
            }
            return updated;
        } catch (OptimisticLockingFailureException e) {
            accessor.setProperty(version, before); // it has been raised before the statement
            throw StaleVersionException.staleOrGone(aggregate.getSimpleName(), expected, e);
        } catch (RuntimeException e) {
            accessor.setProperty(version, before);
            throw e;
        }
    }
}
