package io.oncegate.spring.jpa;

import io.oncegate.core.error.StaleVersionException;
import io.oncegate.jdbc.VersionedUpdate;
import io.oncegate.spring.tx.internal.VersionMemory;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.OptimisticLockException;
import java.util.function.Consumer;
import org.hibernate.StaleStateException;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/**
 * Updates an entity under its {@code @Version}, in Spring's current transaction, and at once: a conflict is a {@link
 * StaleVersionException} here and not a surprise at the commit. Thread-safe.
 *
 * <p>It is always an update. {@code merge} inserts an entity that carries no version; this refuses it. A conflict that is seen before
 * anything is written leaves the persistence context as it was; one that shows in the flush has broken it, as Hibernate has it, and
 * marks the transaction for rollback.
 *
 * <p>The version of an entity rises with each success, and goes back when the transaction is rolled back. Hibernate knows nothing of
 * savepoints: after going back to one, {@code refresh} the entity; until then its next update is a conflict.
 *
 * @param <T> the entity
 */
public final class JpaVersionedUpdate<T> {
    private final Class<T> entity;
    private final Sessions sessions;
    private final String what;

    private JpaVersionedUpdate(Class<T> entity, EntityManagerFactory factory) {
        this.entity = entity;
        this.sessions = new Sessions(factory);
        this.what = entity.getSimpleName();
        EntityPersister persister = factory.unwrap(SessionFactoryImplementor.class)
                .getMappingMetamodel()
                .getEntityDescriptor(entity);
        if (!persister.isVersioned()) {
            throw new IllegalArgumentException(what + " has no @Version; add one");
        }
    }

    /**
     * Creates it.
     *
     * @throws IllegalArgumentException if the entity has no {@code @Version}
     */
    public static <T> JpaVersionedUpdate<T> of(Class<T> entity, EntityManagerFactory factory) {
        return new JpaVersionedUpdate<>(entity, factory);
    }

    /**
     * Writes the state of an entity, managed or detached, over the row of its version.
     *
     * @return the managed one, with its new version
     * @throws StaleVersionException if the row has another version by now, or is gone
     * @throws IllegalArgumentException if the id or the version is null, or the version negative; the database was not asked
     * @throws IllegalStateException if no transaction is open
     */
    public T update(T changed) {
        SessionImplementor session = sessions.required();
        EntityPersister persister = session.getEntityPersister(null, changed);
        long expected = VersionedUpdate.requireVersion(what, persister.getVersion(changed));
        Object id = persister.getIdentifier(changed, session);
        if (id == null) {
            throw new IllegalArgumentException(what + " has no id, so that there is nothing to update; insert it");
        }
        if (session.contains(changed)) {
            return flushed(session, changed, expected);
        }
        requireVersion(session, id, expected);
        return flushed(session, session.merge(changed), expected);
    }

    /**
     * Reads the entity, changes it, and writes it, if it has this version.
     *
     * @param version the version that the caller has decided on
     * @return the managed one, with its new version
     * @throws StaleVersionException if the row has another version, or there is none; nothing was changed then
     * @throws IllegalArgumentException if the version is null or negative; the database was not asked
     * @throws IllegalStateException if no transaction is open
     */
    public T update(Object id, @Nullable Long version, Consumer<? super T> change) {
        long expected = VersionedUpdate.requireVersion(what, version);
        SessionImplementor session = sessions.required();
        T found = requireVersion(session, id, expected);
        change.accept(found);
        return flushed(session, found, expected);
    }

    private T requireVersion(SessionImplementor session, Object id, long expected) {
        T found = session.find(entity, id);
        if (found == null) {
            throw StaleVersionException.gone(what, expected);
        }
        long version = VersionedUpdate.requireVersion(
                what, session.getEntityPersister(null, found).getVersion(found));
        if (version != expected) {
            throw StaleVersionException.stale(what, expected, version);
        }
        return found;
    }

    private T flushed(SessionImplementor session, T managed, long expected) {
        EntityPersister persister = session.getEntityPersister(null, managed);
        Object before = persister.getVersion(managed);
        int index = persister.getVersionPropertyIndex();
        try {
            session.flush();
        } catch (OptimisticLockException | StaleStateException e) {
            throw StaleVersionException.staleOrGone(what, expected, e);
        }
        VersionMemory.remember(() -> persister.setValue(managed, index, before));
        return managed;
    }
}
