package io.oncegate.spring.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import org.hibernate.FlushMode;
import org.hibernate.engine.spi.SessionImplementor;
import org.jspecify.annotations.Nullable;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The session of Spring's current transaction. Thread-safe. */
final class Sessions {
    private final EntityManagerFactory factory;

    Sessions(EntityManagerFactory factory) {
        this.factory = factory;
    }

    /** The one whose transaction is open on this thread, or null. */
    @Nullable
    SessionImplementor current() {
        if (!TransactionSynchronizationManager.hasResource(factory)) {
            return null;
        }
        EntityManager entities = EntityManagerFactoryUtils.getTransactionalEntityManager(factory);
        if (entities == null) {
            return null;
        }
        SessionImplementor session = entities.unwrap(SessionImplementor.class);
        return session.isTransactionInProgress() ? session : null;
    }

    SessionImplementor required() {
        SessionImplementor session = current();
        if (session == null) {
            throw new IllegalStateException(
                    "no transaction is open in which this entity manager factory takes part; give the"
                            + " transaction manager of the factory, a JpaTransactionManager");
        }
        return session;
    }

    Connection connection() {
        return required().doReturningWork(connection -> connection);
    }

    /** Writes what is pending, as a query would, unless the caller has said that nothing is to be written by itself. */
    void flush(SessionImplementor session) {
        if (flushes(session)) {
            session.flush();
        }
    }

    static boolean flushes(SessionImplementor session) {
        return session.getHibernateFlushMode().compareTo(FlushMode.AUTO) >= 0;
    }
}
