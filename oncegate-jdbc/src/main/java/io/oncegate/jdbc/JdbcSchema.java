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
 * A table that a store needs: its DDL lies beside this class, one file for each database
 * ({@code io/oncegate/jdbc/schema-postgresql.sql} for records, {@code tokens-}, {@code locks-}, {@code fences-} and {@code
 * states-} for the others), for the migration tool of the application. Thread-safe.
 */
public final class JdbcSchema {
    private static final Layout RECORDS = new Layout(
            "schema-",
            Dialects.DEFAULT_TABLE,
            List.of(
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
                    "due_at"),
            List.of("due_at"));

    private static final Layout TOKENS = new Layout(
            "tokens-",
            JdbcTokenStore.DEFAULT_TABLE,
            List.of("id", "subject", "purpose", "attempt", "expires_at", "issues"),
            List.of("subject", "expires_at"));

    private static final Layout LOCKS = new Layout(
            "locks-",
            JdbcLockStore.DEFAULT_TABLE,
            List.of(
                    "id",
                    "operation",
                    "attempt",
                    "fence",
                    "lease_end",
                    "window_end",
                    "result",
                    "result_fence",
                    "result_until",
                    "due_at"),
            List.of("due_at"));

    private static final Layout FENCES =
            new Layout("fences-", FenceTable.DEFAULT_TABLE, List.of("id", "fence", "raised_at"), List.of("raised_at"));

    private static final Layout STATES = new Layout(
            "states-",
            StateHistory.DEFAULT_TABLE,
            List.of(
                    "id",
                    "entity",
                    "machine",
                    "entity_key",
                    "event_id",
                    "event_name",
                    "applied",
                    "from_state",
                    "to_state",
                    "version",
                    "content",
                    "attempt",
                    "refusals",
                    "fired_at"),
            List.of("entity", "fired_at"));

    private final DataSource source;
    private final String table;
    private final Layout layout;

    /**
     * What a kind of table looks like.
     *
     * @param resource what the DDL resources' names begin with
     * @param table the table's name there
     * @param columns its columns
     * @param indexed the columns that an index has to begin with
     */
    private record Layout(String resource, String table, List<String> columns, List<String> indexed) {}

    private JdbcSchema(DataSource source, String table, Layout layout) {
        this.source = source;
        this.table = table;
        this.layout = layout;
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
        return new JdbcSchema(source, Dialects.requireTable(table), RECORDS);
    }

    /** The schema with the table {@code oncegate_token}, which {@link JdbcTokenStore} alone needs. */
    public static JdbcSchema tokens(DataSource source) {
        return tokens(source, JdbcTokenStore.DEFAULT_TABLE);
    }

    /**
     * The schema with a table of tokens of this name.
     *
     * @throws IllegalArgumentException if it is no plain name
     */
    public static JdbcSchema tokens(DataSource source, String table) {
        return new JdbcSchema(source, Dialects.requireTable(table), TOKENS);
    }

    /** The schema with the table {@code oncegate_lock}, which {@link JdbcLockStore} alone needs. */
    public static JdbcSchema locks(DataSource source) {
        return locks(source, JdbcLockStore.DEFAULT_TABLE);
    }

    /**
     * The schema with a table of locks of this name.
     *
     * @throws IllegalArgumentException if it is no plain name
     */
    public static JdbcSchema locks(DataSource source, String table) {
        return new JdbcSchema(source, Dialects.requireTable(table), LOCKS);
    }

    /** The schema with the table {@code oncegate_fence}, which {@link FenceTable} alone needs. */
    public static JdbcSchema fences(DataSource source) {
        return fences(source, FenceTable.DEFAULT_TABLE);
    }

    /**
     * The schema with a table of fences of this name.
     *
     * @throws IllegalArgumentException if it is no plain name
     */
    public static JdbcSchema fences(DataSource source, String table) {
        return new JdbcSchema(source, Dialects.requireTable(table), FENCES);
    }

    /** The schema with the table {@code oncegate_state_history}, which {@link JdbcStateMachine} alone needs. */
    public static JdbcSchema states(DataSource source) {
        return states(source, StateHistory.DEFAULT_TABLE);
    }

    /**
     * The schema with a history of state machines of this name.
     *
     * @throws IllegalArgumentException if it is no plain name
     */
    public static JdbcSchema states(DataSource source, String table) {
        return new JdbcSchema(source, Dialects.requireTable(table), STATES);
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
                        + "; run the DDL in the resource io/oncegate/jdbc/" + resource(dialect)
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

    private String resource(Dialect dialect) {
        return dialect.resource.replace(RECORDS.resource(), layout.resource());
    }

    private String ddl(Dialect dialect) {
        try (InputStream in = JdbcSchema.class.getResourceAsStream(resource(dialect))) {
            if (in == null) {
                throw new IllegalStateException("the resource " + resource(dialect) + " is not in the jar");
            }
            String indexes = table.substring(table.indexOf('.') + 1) + "_";
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replaceAll("--.*", "")
                    .replace("INDEX " + layout.table() + "_", "INDEX " + indexes)
                    .replace(layout.table() + " (", table + " (");
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
        for (String column : layout.columns()) {
            if (!columns.containsKey(column)) {
                missing.add("the column " + column);
            }
        }
        if (!keyed(data, place)) {
            missing.add("the primary key on id alone");
        }
        for (String column : layout.indexed()) {
            if (!indexed(data, place, column)) {
                missing.add("an index that begins with " + column);
            }
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

    private static boolean indexed(DatabaseMetaData data, Place place, String column) throws SQLException {
        try (ResultSet rows = data.getIndexInfo(place.catalog(), place.schema(), place.table(), false, true)) {
            while (rows.next()) {
                if (rows.getInt("ORDINAL_POSITION") == 1 && column.equalsIgnoreCase(rows.getString("COLUMN_NAME"))) {
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
