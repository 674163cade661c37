package io.oncegate.spring.tx;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Savepoint;
import org.jspecify.annotations.Nullable;

/** Hands a connection out and takes note when its user goes back to a savepoint. Not thread-safe. */
final class SavepointWatch implements InvocationHandler {
    private final Connection target;
    private final Connection proxy;
    private boolean wentBack;

    SavepointWatch(Connection target) {
        this.target = target;
        this.proxy = (Connection)
                Proxy.newProxyInstance(SavepointWatch.class.getClassLoader(), new Class<?>[] {Connection.class}, this);
    }

    Connection connection() {
        return proxy;
    }

    boolean wentBack() {
        return wentBack;
    }

    @Override
    @SuppressWarnings("NullAway") // JDBC methods may return null
    public @Nullable Object invoke(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            Object result = method.invoke(target, arguments);
            if (arguments != null && arguments.length == 1 && arguments[0] instanceof Savepoint && isRollback(method)) {
                wentBack = true;
            }
            return result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static boolean isRollback(Method method) {
        return method.getName().equals("rollback");
    }
}
