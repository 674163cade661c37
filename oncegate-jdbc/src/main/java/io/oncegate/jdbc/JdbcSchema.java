package io.oncegate.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The table that the stores need: its DDL lies beside this class, one file for each database
 * ({@code io/oncegate/jdbc/schema-postgresql.sql} and the like), for the migration tool of the application. Thread-safe.
 */
public final class JdbcSchema {
    private static final List<String> COLUMNS = List.of(
            "id",
            "operation",
            "state",
            "fence",
            "attempt",
            "fingerprint",
            "lease_end",
            "retention",
            "expires_at",
            "result",
            "result_until",
            "due_at");

    private final DataSource source;
    private final String table;

    private JdbcSchema(DataSource source, String table) {
        this.source = source;
        this.table = table;
    }

    /** The schema with the table {@code oncegate_record}. */
    public static JdbcSchema of(DataSource source) {
        return of(source, Dialects.DEFAULT_TABLE);
    }

    /**
     * The schema with a table of this name.
     *
     * @throws IllegalArgumentException if it is no plain name
     */
    public static JdbcSchema of(DataSource source, String table) {
        return new JdbcSchema(source, Dialects.requireTable(table));
    }

    /**
     * Looks at start-up whether table, columns, primary key and index are there.
     *
     * @throws SchemaException naming all that is missing, and the resource with the DDL
     * @throws io.oncegate.core.error.StoreUnavailableException if the database cannot be asked
     */
    public void check() {
        try (Connection connection = source.getConnection()) {
            Dialect dialect = Dialect.of(connection, table, 0);
            List<String> missing = missing(connection);
            if (!missing.isEmpty()) {
                throw new SchemaException("the table " + table + " lacks " + String.join(", ", missing)
                        + "; run the DDL in the resource io/oncegate/jdbc/" + dialect.resource
                        + " with your migration tool");
            }
        } catch (SQLException e) {
            throw JdbcCalls.unavailable("jdbc:" + table, "the schema check", e);
        }
    }

    /**
     * Creates table and index: for tests and samples. Where they exist this fails.
     *
     * @throws io.oncegate.core.error.StoreUnavailableException if the database refuses
     */
    public void create() {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            for (String ddl : ddl(Dialect.of(connection, table, 0)).split(";")) {
                if (!ddl.isBlank()) {
                    statement.execute(ddl);
                }
            }
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        } catch (SQLException e) {
            throw JdbcCalls.unavailable("jdbc:" + table, "creating the table", e);
        }
    }

    private String ddl(Dialect dialect) {
        try (InputStream in = JdbcSchema.class.getResourceAsStream(dialect.resource)) {
            if (in == null) {
                throw new IllegalStateException("the resource " + dialect.resource + " is not in the jar");
            }
            String index = table.substring(table.indexOf('.') + 1) + "_due";
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("INDEX oncegate_record_due", "INDEX " + index)
                    .replace(Dialects.DEFAULT_TABLE + " (", table + " (");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> missing(Connection connection) throws SQLException {
        DatabaseMetaData data = connection.getMetaData();
        Place place = place(connection, data);
        Map<String, String> columns = new HashMap<>();
        try (ResultSet rows = data.getColumns(place.catalog(), place.schema(), escaped(data, place.table()), null)) {
            while (rows.next()) {
                String column = rows.getString("COLUMN_NAME");
                columns.put(column.toLowerCase(Locale.ROOT), column);
            }
        }
        if (columns.isEmpty()) {
            return List.of("everything (there is no such table)");
        }
        List<String> missing = new ArrayList<>();
        for (String column : COLUMNS) {
            if (!columns.containsKey(column)) {
                missing.add("the column " + column);
            }
        }
        if (!keyed(data, place)) {
            missing.add("the primary key on id alone");
        }
        if (!indexed(data, place)) {
            missing.add("an index that begins with due_at");
        }
        return missing;
    }

    private static boolean keyed(DatabaseMetaData data, Place place) throws SQLException {
        List<String> key = new ArrayList<>();
        try (ResultSet rows = data.getPrimaryKeys(place.catalog(), place.schema(), place.table())) {
            while (rows.next()) {
                key.add(rows.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
            }
        }
        return key.equals(List.of("id"));
    }

    private static boolean indexed(DatabaseMetaData data, Place place) throws SQLException {
        try (ResultSet rows = data.getIndexInfo(place.catalog(), place.schema(), place.table(), false, true)) {
            while (rows.next()) {
                if (rows.getInt("ORDINAL_POSITION") == 1 && "due_at".equalsIgnoreCase(rows.getString("COLUMN_NAME"))) {
                    return true;
                }
            }
            return false;
        }
    }

    private record Place(@Nullable String catalog, @Nullable String schema, String table) {}

    /** Where the metadata has the table: MariaDB and MySQL call a database a catalog, and others fold names. */
    private Place place(Connection connection, DatabaseMetaData data) throws SQLException {
        int dot = table.indexOf('.');
        String name = folded(data, table.substring(dot + 1));
        String space = dot < 0 ? null : folded(data, table.substring(0, dot));
        if (data.supportsSchemasInDataManipulation()) {
            return new Place(connection.getCatalog(), space == null ? connection.getSchema() : space, name);
        }
        return new Place(space == null ? connection.getCatalog() : space, null, name);
    }

    private static String folded(DatabaseMetaData data, String name) throws SQLException {
        if (data.storesLowerCaseIdentifiers()) {
            return name.toLowerCase(Locale.ROOT);
        }
        return data.storesUpperCaseIdentifiers() ? name.toUpperCase(Locale.ROOT) : name;
    }

    private static String escaped(DatabaseMetaData data, String name) throws SQLException {
        return name.replace("_", data.getSearchStringEscape() + "_");
    }
}
