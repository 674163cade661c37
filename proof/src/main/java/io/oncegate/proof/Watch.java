package io.oncegate.proof;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Stands between a store and its driver: counts what is sent, and lets a test act just before a commit is sent, just after
 * its reply has been read, and when it has failed. Thread-safe.
 */
public final class Watch {
    private static final Runnable NOTHING = () -> {};

    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger statements = new AtomicInteger();
    private final AtomicInteger savepoints = new AtomicInteger();
    private final AtomicInteger commits = new AtomicInteger();
    private final AtomicInteger rollbacks = new AtomicInteger();
    private volatile Runnable whenConnected = NOTHING;
    private volatile Runnable beforeCommit = NOTHING;
    private volatile Runnable afterCommit = NOTHING;
    private volatile Runnable whenCommitFails = NOTHING;

    /** Watches nobody yet. */
    public Watch() {}

    /**
     * What has been sent.
     *
     * @param connections connections that were taken
     * @param statements statements of any kind
     * @param savepoints savepoints set and released
     * @param commits commits
     * @param rollbacks rollbacks, of whole transactions and to savepoints
     */
    public record Sent(int connections, int statements, int savepoints, int commits, int rollbacks) {
        /** What was sent since then. */
        public Sent since(Sent earlier) {
            return new Sent(
                    connections - earlier.connections,
                    statements - earlier.statements,
                    savepoints - earlier.savepoints,
                    commits - earlier.commits,
                    rollbacks - earlier.rollbacks);
        }
    }

    /** What has been sent until now. */
    public Sent sent() {
        return new Sent(connections.get(), statements.get(), savepoints.get(), commits.get(), rollbacks.get());
    }

    /** Does this when a connection is there, before anything is sent on it. */
    public void whenConnected(Runnable action) {
        whenConnected = action;
    }

    /** Does this before each commit is sent. */
    public void beforeCommit(Runnable action) {
        beforeCommit = action;
    }

    /** Does this when a commit's reply has been read. */
    public void afterCommit(Runnable action) {
        afterCommit = action;
    }

    /** Does this when a commit has ended in an exception. */
    public void whenCommitFails(Runnable action) {
        whenCommitFails = action;
    }

    /** The source, with this watch on all its connections. */
    public DataSource on(DataSource source) {
        return proxy(DataSource.class, (self, method, arguments) -> {
            Object result = invoke(source, method, arguments);
            if (result instanceof Connection connection) {
                connections.incrementAndGet();
                whenConnected.run();
                return on(connection);
            }
            return result;
        });
    }

    /** The connection, with this watch on it. */
    public Connection on(Connection connection) {
        return proxy(Connection.class, (self, method, arguments) -> {
            switch (method.getName()) {
                case "commit" -> {
                    return commit(connection, method, arguments);
                }
                case "rollback" -> rollbacks.incrementAndGet();
                case "setSavepoint", "releaseSavepoint" -> savepoints.incrementAndGet();
                default -> {}
            }
            Object result = invoke(connection, method, arguments);
            if (result instanceof PreparedStatement statement) {
                return proxy(PreparedStatement.class, counting(statement));
            }
            return result instanceof Statement statement ? proxy(Statement.class, counting(statement)) : result;
        });
    }

    private @Nullable Object commit(Connection connection, Method method, Object @Nullable [] arguments)
            throws Throwable {
        commits.incrementAndGet();
        beforeCommit.run();
        try {
            Object result = invoke(connection, method, arguments);
            afterCommit.run();
            return result;
        } catch (Throwable e) {
            whenCommitFails.run();
            throw e;
        }
    }

    private InvocationHandler counting(Statement statement) {
        return (self, method, arguments) -> {
            if (method.getName().startsWith("execute")) {
                statements.incrementAndGet();
            }
            return invoke(statement, method, arguments);
        };
    }

    private static @Nullable Object invoke(Object target, Method method, Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(Watch.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
