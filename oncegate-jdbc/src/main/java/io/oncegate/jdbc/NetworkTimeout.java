package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import org.jspecify.annotations.Nullable;

/**
 * A bound on how long a connection waits for the server's answer, as long as a call needs it. No round trip with the
 * drivers of PostgreSQL, MariaDB and MySQL; H2 has none and needs none. A connection that runs into it is lost.
 */
final class NetworkTimeout {
    private static final NetworkTimeout NONE = new NetworkTimeout(null, 0);

    private final @Nullable Connection connection;
    private final int before;

    private NetworkTimeout(@Nullable Connection connection, int before) {
        this.connection = connection;
        this.before = before;
    }

    /** Bounds the connection; a shorter bound that it has already stays, and zero bounds nothing. */
    static NetworkTimeout set(Connection connection, long millis) throws SQLException {
        try {
            int before = connection.getNetworkTimeout();
            if (millis == 0 || (before != 0 && before <= millis)) {
                return NONE;
            }
            connection.setNetworkTimeout(Runnable::run, (int) Math.min(Integer.MAX_VALUE, millis));
            return new NetworkTimeout(connection, before);
        } catch (SQLFeatureNotSupportedException | AbstractMethodError e) {
            return NONE;
        }
    }

    /** Puts the old bound back; a connection that does not take it is no longer open. */
    void restore() {
        try {
            if (connection != null) {
                connection.setNetworkTimeout(Runnable::run, before);
            }
        } catch (SQLException ignored) {
            // The failure that has closed it is on its way to the caller.
        }
    }
}
