package io.oncegate.spring.mybatis;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A data source that counts the statements that are prepared on its connections. */
final class CountedStatements {
    final AtomicInteger prepared = new AtomicInteger();
    final DataSource source;

    CountedStatements(DataSource target) {
        source = counting(DataSource.class, target);
    }

    private <T> T counting(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")) {
                        prepared.incrementAndGet();
                    }
                    try {
                        Object result = method.invoke(target, arguments);
                        return result instanceof Connection connection
                                ? counting(Connection.class, connection)
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
