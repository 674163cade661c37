package io.oncegate.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** A data source whose caller is frozen once, between building a statement and executing it. */
final class Pausing {
    final DataSource source;
    private final CountDownLatch frozen = new CountDownLatch(1);
    private final CountDownLatch thawed = new CountDownLatch(1);
    private volatile boolean armed;

    Pausing(DataSource target) {
        this.source = proxy(DataSource.class, target);
    }

    /** From now on whoever is about to execute a statement is frozen. */
    void arm() {
        armed = true;
    }

    void awaitFrozen() throws InterruptedException {
        if (!frozen.await(60, TimeUnit.SECONDS)) {
            throw new AssertionError("nobody has executed a statement");
        }
    }

    void thaw() {
        armed = false;
        thawed.countDown();
    }

    private void pause() throws InterruptedException {
        if (armed) {
            frozen.countDown();
            if (!thawed.await(60, TimeUnit.SECONDS)) {
                throw new AssertionError("nobody has thawed it");
            }
        }
    }

    private <T> T proxy(Class<T> type, Object target) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            if (type == PreparedStatement.class && method.getName().startsWith("execute")) {
                pause();
            }
            Object result;
            try {
                result = method.invoke(target, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (method.getName().equals("unwrap")) {
                return result;
            }
            if (result instanceof Connection) {
                return proxy(Connection.class, result);
            }
            return result instanceof PreparedStatement ? proxy(PreparedStatement.class, result) : result;
        }));
    }
}
