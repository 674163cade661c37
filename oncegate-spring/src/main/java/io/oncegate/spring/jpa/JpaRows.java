package io.oncegate.spring.jpa;

import io.oncegate.jdbc.UniqueConstraint;
import io.oncegate.spring.tx.internal.RowTool;
import jakarta.persistence.CacheRetrieveMode;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.LockModeType;
import jakarta.persistence.criteria.CriteriaBuilder;
import jakarta.persistence.criteria.CriteriaQuery;
import jakarta.persistence.criteria.Predicate;
import jakarta.persistence.criteria.Root;
import java.sql.Connection;
import java.util.Arrays;
import java.util.List;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.persister.entity.AbstractEntityPersister;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/** Entities of one class, written and read by a session of their own on the current transaction's connection. */
final class JpaRows<T> implements RowTool<T> {
    private final Class<T> entity;
    private final EntityManagerFactory factory;
    private final List<Attribute<T>> key;
    private final Sessions sessions;

    JpaRows(Class<T> entity, EntityManagerFactory factory, List<Attribute<T>> key) {
        this.entity = entity;
        this.factory = factory;
        this.key = key;
        this.sessions = new Sessions(factory);
    }

    void check(UniqueConstraint guard) {
        SessionFactoryImplementor sessionFactory = factory.unwrap(SessionFactoryImplementor.class);
        AbstractEntityPersister persister =
                (AbstractEntityPersister) sessionFactory.getMappingMetamodel().getEntityDescriptor(entity);
        String[] columns = key.stream()
                .flatMap(attribute -> Arrays.stream(persister.getPropertyColumnNames(attribute.path())))
                .toArray(String[]::new);
        try (SessionImplementor session = sessionFactory.openSession()) {
            session.doWork(connection -> guard.check(connection, persister.getTableNameForColumn(columns[0]), columns));
        }
    }

    @Override
    public boolean inTransaction() {
        return sessions.current() != null;
    }

    @Override
    public Connection connection() {
        return sessions.connection();
    }

    @Override
    public void flush() {
        sessions.flush(sessions.required());
    }

    @Override
    public T insert(T row) {
        try (SideSession side = SideSession.open(sessions.required(), connection(), false)) {
            side.persist(row);
            return row;
        }
    }

    @Override
    public void undone(T row) {
        // the side session has made its entities new again
    }

    @Override
    public @Nullable T find(T row, boolean current) {
        try (SideSession side = SideSession.open(sessions.required(), connection(), current)) {
            EntityManager entities = side.session();
            CriteriaBuilder builder = entities.getCriteriaBuilder();
            CriteriaQuery<T> query = builder.createQuery(entity);
            Root<T> root = query.from(entity);
            query.where(key.stream()
                    .map(attribute -> builder.equal(attribute.in(root), attribute.raw(row)))
                    .toArray(Predicate[]::new));
            List<T> found = entities.createQuery(query).setMaxResults(2).getResultList();
            if (found.size() > 1) {
                throw new IllegalStateException("more than one " + entity.getSimpleName()
                        + " has these values; name all attributes of the guarding constraint, and no others");
            }
            return found.isEmpty() ? null : found.get(0);
        }
    }

    /** The managed one of the caller's persistence context, with the state that the database has. */
    @Override
    public T adopt(T row, boolean current) {
        SessionImplementor session = sessions.required();
        Object id = factory.getPersistenceUnitUtil().getIdentifier(row);
        LockModeType lock = current ? LockModeType.PESSIMISTIC_READ : LockModeType.NONE;
        EntityPersister persister = session.getFactory().getMappingMetamodel().getEntityDescriptor(row.getClass());
        Object known = session.getPersistenceContext().getEntity(session.generateEntityKey(id, persister));
        if (known != null && entity.isInstance(known)) {
            if (Sessions.flushes(session)) { // else it may hold changes that are not for us to drop
                session.refresh(known, lock);
            }
            return entity.cast(known);
        }
        T managed = session.find(entity, id, lock, CacheRetrieveMode.BYPASS);
        return managed == null ? row : managed;
    }

    @Override
    public boolean isRollbackOnly() {
        return sessions.required().getTransaction().getRollbackOnly();
    }

    @Override
    public void setRollbackOnly() {
        sessions.required().getTransaction().setRollbackOnly();
    }

    @Override
    public void clearRollbackOnly() {
        // the side session's failures mark nothing, and Hibernate takes no other mark back
    }
}
