package io.oncegate.spring.jpa;

import io.oncegate.spring.tx.internal.CurrentReads;
import jakarta.persistence.EntityExistsException;
import java.sql.Connection;
import java.util.IdentityHashMap;
import java.util.Map;
import org.hibernate.CacheMode;
import org.hibernate.FlushMode;
import org.hibernate.PersistentObjectException;
import org.hibernate.Session;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.persister.entity.EntityPersister;

/**
 * A session beside the caller's, on the same connection, which it cannot commit. What fails in it breaks neither the caller's
 * persistence context nor its transaction's marks. Not thread-safe.
 */
final class SideSession implements AutoCloseable {
    private final SessionImplementor session;

    private SideSession(SessionImplementor session) {
        this.session = session;
    }

    /**
     * Opens it.
     *
     * @param current whether its queries are locking reads
     */
    static SideSession open(SessionImplementor callers, Connection connection, boolean current) {
        var builder = callers.getFactory()
                .withOptions()
                .connection(CurrentReads.lend(connection, current))
                .interceptor(callers.getInterceptor())
                .initialCacheMode(CacheMode.IGNORE)
                .flushMode(FlushMode.MANUAL);
        Object tenant = callers.getTenantIdentifierValue();
        if (tenant != null) {
            builder.tenantIdentifier(tenant);
        }
        return new SideSession(builder.openSession());
    }

    Session session() {
        return session;
    }

    /** Inserts a new entity and what it cascades to, or leaves them new. */
    void persist(Object entity) {
        session.beginTransaction();
        forgetVersion(session.getEntityPersister(null, entity), entity);
        try {
            session.persist(entity);
            session.flush();
            session.getTransaction().commit(); // nothing but callbacks: the connection is lent
        } catch (EntityExistsException e) {
            makeNewAgain();
            if (e.getCause() instanceof PersistentObjectException) {
                throw new IllegalArgumentException(
                        "the entity has been stored before, and an insert takes new ones; update it instead", e);
            }
            throw e;
        } catch (RuntimeException | Error e) {
            makeNewAgain();
            throw e;
        }
    }

    /** An assigned id with a version would be taken for an entity that has been stored before. */
    private static void forgetVersion(EntityPersister persister, Object entity) {
        if (persister.getVersionMapping() != null && assigned(persister)) {
            Object version = persister.getVersion(entity);
            Object unsaved = persister.getVersionMapping().getUnsavedStrategy().getDefaultValue(version);
            persister.setValue(entity, persister.getVersionPropertyIndex(), unsaved);
        }
    }

    /** Hibernate has a generator for the parts of an embedded id too; the application assigns it all the same. */
    private static boolean assigned(EntityPersister persister) {
        return persister.getGenerator().allowAssignedIdentifiers()
                || persister.getIdentifierType().isComponentType();
    }

    /** Takes back generated ids and versions, so that the same instances may be persisted another time. */
    private void makeNewAgain() {
        Map<Object, EntityEntry> made = new IdentityHashMap<>();
        for (Map.Entry<Object, EntityEntry> entry :
                session.getPersistenceContext().reentrantSafeEntityEntries()) {
            made.put(entry.getKey(), entry.getValue());
        }
        session.getTransaction().rollback();
        session.clear();
        made.forEach((each, entry) -> {
            EntityPersister persister = entry.getPersister();
            if (assigned(persister)) {
                forgetVersion(persister, each);
            } else {
                persister.resetIdentifier(each, entry.getId(), entry.getVersion(), session);
            }
        });
    }

    @Override
    public void close() {
        session.close();
    }
}
