package io.oncegate.proof;

import io.oncegate.core.key.RecordId;
import io.oncegate.jdbc.JdbcSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * Effects that can be counted: each is two rows of a table without any unique key, so that nothing but the engine stands
 * against a second one. Thread-safe.
 */
public final class Effects {
    private final DataSource source;

    /** The effects in this database. */
    public Effects(DataSource source) {
        this.source = source;
    }

    /**
     * What is there of one name, read in one statement.
     *
     * @param first first halves
     * @param second second halves
     * @param records records in the database
     */
    public record Seen(int first, int second, int records) {}

    /** Creates the tables, for effects and records. */
    public void create() throws SQLException {
        JdbcSchema.of(source).create();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE effect (name VARCHAR(200) NOT NULL, part INT NOT NULL, fence BIGINT NOT NULL)");
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        }
    }

    /** Writes one half of an effect. */
    public static void write(Connection connection, String name, int part, long fence) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("INSERT INTO effect (name, part, fence) VALUES (?, ?, ?)")) {
            statement.setString(1, name);
            statement.setInt(2, part);
            statement.setLong(3, fence);
            statement.executeUpdate();
        }
    }

    /** Reads what is committed. */
    public Seen see(String name, RecordId id) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("SELECT (SELECT COUNT(*) FROM effect WHERE name = ? AND part = 1),"
                                + " (SELECT COUNT(*) FROM effect WHERE name = ? AND part = 2),"
                                + " (SELECT COUNT(*) FROM oncegate_record WHERE id = ?)")) {
            statement.setString(1, name);
            statement.setString(2, name);
            statement.setBytes(3, id.toBytes());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                Seen seen = new Seen(row.getInt(1), row.getInt(2), row.getInt(3));
                if (!connection.getAutoCommit()) {
                    connection.commit();
                }
                return seen;
            }
        }
    }

    /** The present time by the database's clock, in microseconds since 1970. */
    public long micros() throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            String now = switch (connection.getMetaData().getDatabaseProductName()) {
                case "PostgreSQL" -> "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
                default -> "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
            };
            try (ResultSet row = statement.executeQuery("SELECT " + now)) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}
