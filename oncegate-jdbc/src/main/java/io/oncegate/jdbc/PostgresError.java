package io.oncegate.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The fields of what a PostgreSQL server said. The driver is the application's choice: its own class is asked by reflection, and
 * with another one nothing is known.
 */
final class PostgresError {
    private PostgresError() {}

    /**
     * A field.
     *
     * @param getter its method in {@code org.postgresql.util.ServerErrorMessage}
     * @return null if the driver is another one, or the server did not say
     */
    static @Nullable String field(SQLException e, String getter) {
        try {
            Object server = e.getClass().getMethod("getServerErrorMessage").invoke(e);
            Object value =
                    server == null ? null : server.getClass().getMethod(getter).invoke(server);
            return value == null ? null : value.toString();
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException anotherDriver) {
            return null;
        }
    }
}
