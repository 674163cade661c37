package io.oncegate.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;

/** A data source that writes down every call of JDBC that makes a driver speak with its server. */
final class CountingSource {
    private static final Set<String> CONNECTION_CALLS = Set.of(
            "commit",
            "rollback",
            "setSavepoint",
            "releaseSavepoint",
            "setAutoCommit",
            "setTransactionIsolation",
            "getTransactionIsolation",
            "isValid");
    private static final Set<String> STATEMENT_CALLS =
            Set.of("execute", "executeQuery", "executeUpdate", "executeBatch", "executeLargeUpdate");

    final List<String> calls = new CopyOnWriteArrayList<>();
    final List<Object> parameters = new CopyOnWriteArrayList<>();
    final DataSource source;

    CountingSource(DataSource target) {
        this.source = proxy(DataSource.class, target, "");
    }

    /** What was said since the last time. */
    List<String> drain() {
        List<String> all = new ArrayList<>(calls);
        calls.clear();
        parameters.clear();
        return all;
    }

    private <T> T proxy(Class<T> type, Object target, String sql) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            String name = method.getName();
            if (type == Connection.class && CONNECTION_CALLS.contains(name)) {
                boolean same =
                        name.equals("setAutoCommit") && ((Connection) target).getAutoCommit() == (Boolean) args[0];
                if (!same) {
                    calls.add(name);
                }
            } else if (Statement.class.isAssignableFrom(type) && STATEMENT_CALLS.contains(name)) {
                calls.add(args != null && args[0] instanceof String text ? text : sql);
            } else if (type == PreparedStatement.class && name.startsWith("set") && args.length == 2) {
                parameters.add(args[1]);
            }
            Object result;
            try {
                result = method.invoke(target, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (name.equals("unwrap")) {
                return result;
            }
            if (result instanceof Connection) {
                return proxy(Connection.class, result, "");
            }
            if (result instanceof PreparedStatement && !(result instanceof CallableStatement)) {
                return proxy(PreparedStatement.class, result, (String) args[0]);
            }
            return result instanceof Statement ? proxy(Statement.class, result, "") : result;
        }));
    }
}
