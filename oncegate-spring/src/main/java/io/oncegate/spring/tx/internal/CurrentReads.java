package io.oncegate.spring.tx.internal;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A connection of the current transaction that is lent to a mapping tool: it cannot be committed, rolled back or closed by it,
 * and, where that is asked for, its queries are locking reads in the manner of MariaDB and MySQL, which see past the snapshot.
 * Not thread-safe.
 */
public final class CurrentReads implements InvocationHandler {
    private static final Set<String> NOT_YOURS =
            Set.of("commit", "rollback", "close", "abort", "setAutoCommit", "setTransactionIsolation", "setReadOnly");
    private static final String LOCK = " LOCK IN SHARE MODE";

    private final Connection target;
    private final boolean locking;

    private CurrentReads(Connection target, boolean locking) {
        this.target = target;
        this.locking = locking;
    }

    /**
     * Lends the connection.
     *
     * @param locking whether its queries are locking reads
     */
    public static Connection lend(Connection target, boolean locking) {
        return (Connection) Proxy.newProxyInstance(
                CurrentReads.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new CurrentReads(target, locking));
    }

    /** Does the work with the queries of whoever works in Spring's current transaction on this data source as locking reads. */
    public static <T extends @Nullable Object> T during(DataSource dataSource, Supplier<T> work) {
        ConnectionHolder holder = (ConnectionHolder) TransactionSynchronizationManager.unbindResource(dataSource);
        try {
            ConnectionHolder lent = new ConnectionHolder(lend(holder.getConnection(), true));
            lent.setSynchronizedWithTransaction(true);
            if (holder.hasTimeout()) {
                lent.setTimeoutInMillis(holder.getTimeToLiveInMillis());
            }
            lent.requested();
            TransactionSynchronizationManager.bindResource(dataSource, lent);
            try {
                return work.get();
            } finally {
                TransactionSynchronizationManager.unbindResource(dataSource);
            }
        } finally {
            TransactionSynchronizationManager.bindResource(dataSource, holder);
        }
    }

    @Override
    @SuppressWarnings("NullAway") // JDBC methods may return null
    public @Nullable Object invoke(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
        String name = method.getName();
        if (name.equals("equals") && arguments != null && arguments.length == 1) {
            return self == arguments[0];
        } else if (name.equals("hashCode")) {
            return System.identityHashCode(self);
        } else if (NOT_YOURS.contains(name)) {
            return null;
        }
        try {
            return method.invoke(target, locking && name.equals("prepareStatement") ? withLock(arguments) : arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static Object @Nullable [] withLock(Object @Nullable [] arguments) throws SQLException {
        if (arguments == null || !(arguments[0] instanceof String sql)) {
            return arguments;
        }
        Object[] changed = arguments.clone();
        changed[0] = withLock(sql);
        return changed;
    }

    /** A query that locks by itself stays as it is. */
    static String withLock(String sql) {
        String text = sql.stripTrailing();
        if (text.endsWith(";")) {
            text = text.substring(0, text.length() - 1).stripTrailing();
        }
        String upper = text.toUpperCase(Locale.ROOT);
        boolean query = upper.stripLeading().startsWith("SELECT");
        boolean locks = upper.matches("(?s).*\\b(FOR\\s+UPDATE|FOR\\s+SHARE|LOCK\\s+IN\\s+SHARE\\s+MODE)\\b"
                + "(\\s+(WAIT\\s+\\d+|NOWAIT|SKIP\\s+LOCKED|OF\\s+\\S+))*\\s*");
        return query && !locks ? text + LOCK : sql;
    }
}
