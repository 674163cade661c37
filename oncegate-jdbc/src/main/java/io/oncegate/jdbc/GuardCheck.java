package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Looks in a database's catalog whether a constraint guards what it is taken to guard. Immutable. */
final class GuardCheck {
    /** Of a table: each column of each unique key, with what is wrong with the key, and with the column. */
    private static final Map<DatabaseKind, String> CATALOGS = Map.of(
            DatabaseKind.POSTGRESQL,
            "SELECT c.relname, i.indisprimary, a.attname, NOT (a.attnotnull OR t.typnotnull),"
                    + " CASE WHEN NOT i.indisvalid THEN 'is not valid' WHEN i.indpred IS NOT NULL THEN 'is partial'"
                    + " WHEN NOT i.indimmediate THEN 'is deferrable'"
                    + " WHEN a.attname IS NULL THEN 'is on an expression' END,"
                    + " CASE WHEN t.typname = 'citext' THEN 'citext' WHEN NOT l.collisdeterministic THEN l.collname END"
                    + " FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
                    + " CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY k (attnum, place)"
                    + " LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND k.attnum > 0"
                    + " LEFT JOIN pg_type t ON t.oid = a.atttypid"
                    + " LEFT JOIN pg_collation l ON l.oid = i.indcollation[k.place - 1]"
                    + " WHERE i.indrelid = to_regclass(COALESCE(? || '.', '') || ?) AND i.indisunique"
                    + " AND k.place <= i.indnkeyatts ORDER BY c.relname, k.place",
            DatabaseKind.MARIADB,
            mySql(),
            DatabaseKind.MYSQL,
            mySql(),
            DatabaseKind.H2,
            "SELECT COALESCE(k.CONSTRAINT_NAME, i.INDEX_NAME), COALESCE(k.CONSTRAINT_TYPE = 'PRIMARY KEY', FALSE),"
                    + " i.COLUMN_NAME, c.IS_NULLABLE = 'YES', NULL, CASE WHEN c.DATA_TYPE LIKE '%IGNORECASE'"
                    + " THEN c.DATA_TYPE WHEN c.COLLATION_NAME <> 'OFF' THEN c.COLLATION_NAME END"
                    + " FROM INFORMATION_SCHEMA.INDEX_COLUMNS i JOIN INFORMATION_SCHEMA.COLUMNS c"
                    + " ON c.TABLE_SCHEMA = i.TABLE_SCHEMA AND c.TABLE_NAME = i.TABLE_NAME AND c.COLUMN_NAME = i.COLUMN_NAME"
                    + " LEFT JOIN INFORMATION_SCHEMA.TABLE_CONSTRAINTS k ON k.INDEX_SCHEMA = i.INDEX_SCHEMA"
                    + " AND k.INDEX_NAME = i.INDEX_NAME AND k.CONSTRAINT_TYPE IN ('UNIQUE', 'PRIMARY KEY')"
                    + " WHERE i.IS_UNIQUE AND LOWER(i.TABLE_SCHEMA) = LOWER(COALESCE(?, CURRENT_SCHEMA))"
                    + " AND LOWER(i.TABLE_NAME) = LOWER(?) ORDER BY 1, i.ORDINAL_POSITION");

    private final UniqueConstraint constraint;
    private final String table;
    private final List<String> columns;
    private final boolean byColumns;

    /**
     * Creates it.
     *
     * @param byColumns whether PostgreSQL is told the guard by its columns, so that a primary key may have any name
     */
    GuardCheck(UniqueConstraint constraint, String table, List<String> columns, boolean byColumns) {
        this.constraint = constraint;
        this.table = table;
        this.columns = columns;
        this.byColumns = byColumns;
    }

    /** Collations that compare bytes end with {@code _bin}, and few of them do not pad. */
    private static String mySql() {
        return "SELECT s.INDEX_NAME, s.INDEX_NAME = 'PRIMARY', s.COLUMN_NAME, s.NULLABLE = 'YES',"
                + " CASE WHEN s.COLUMN_NAME IS NULL THEN 'is on an expression'"
                + " WHEN s.SUB_PART IS NOT NULL THEN CONCAT('covers only the first ', s.SUB_PART, ' of ', s.COLUMN_NAME) END,"
                + " CASE WHEN c.DATA_TYPE NOT IN ('enum', 'set') AND NOT (c.COLLATION_NAME LIKE '%nopad_bin'"
                + " OR c.COLLATION_NAME LIKE '%0900_bin') THEN c.COLLATION_NAME END"
                + " FROM information_schema.STATISTICS s LEFT JOIN information_schema.COLUMNS c"
                + " ON c.TABLE_SCHEMA = s.TABLE_SCHEMA AND c.TABLE_NAME = s.TABLE_NAME AND c.COLUMN_NAME = s.COLUMN_NAME"
                + " WHERE s.NON_UNIQUE = 0 AND s.TABLE_SCHEMA = COALESCE(?, DATABASE()) AND s.TABLE_NAME = ?"
                + " ORDER BY s.INDEX_NAME, s.SEQ_IN_INDEX";
    }

    /** A column of a unique key; what is wrong with it is null if nothing is. */
    private record Part(
            String key,
            boolean primary,
            @Nullable String column,
            boolean nullable,
            @Nullable String flaw,
            @Nullable String collation) {}

    /** Throws if something is wrong. */
    void run(Connection connection) throws SQLException {
        DatabaseKind kind = DatabaseKind.of(connection);
        Map<String, List<Part>> keys = keys(connection, kind);
        List<Part> guard = keys.values().stream()
                .filter(parts -> isGuard(kind, parts.get(0)))
                .findFirst()
                .orElse(List.of());
        List<String> problems = guard.isEmpty() ? List.of(missing(keys)) : problems(guard);
        if (!problems.isEmpty()) {
            throw new SchemaException(
                    "the guard " + constraint + " of the table " + table + " " + String.join(", and ", problems));
        }
    }

    private Map<String, List<Part>> keys(Connection connection, DatabaseKind kind) throws SQLException {
        String schema = Names.schema(table);
        try (PreparedStatement statement = connection.prepareStatement(CATALOGS.get(kind))) {
            statement.setString(1, schema == null ? null : inCatalog(kind, schema));
            statement.setString(2, inCatalog(kind, Names.withoutSchema(table)));
            try (ResultSet row = statement.executeQuery()) {
                Map<String, List<Part>> keys = new LinkedHashMap<>();
                while (row.next()) {
                    Part part = new Part(
                            row.getString(1),
                            row.getBoolean(2),
                            row.getString(3),
                            row.getBoolean(4),
                            row.getString(5),
                            row.getString(6));
                    keys.computeIfAbsent(part.key(), key -> new ArrayList<>()).add(part);
                }
                return keys;
            }
        }
    }

    /** PostgreSQL takes a name apart as in a statement. */
    private static String inCatalog(DatabaseKind kind, String name) {
        return kind == DatabaseKind.POSTGRESQL ? Names.standard(name) : Names.bare(name);
    }

    private boolean isGuard(DatabaseKind kind, Part part) {
        Violation.Database says = switch (kind) {
            case POSTGRESQL -> Violation.Database.POSTGRESQL;
            case MARIADB, MYSQL -> Violation.Database.MYSQL;
            case H2 -> Violation.Database.H2;
        };
        return constraint.isOf(new Violation(says, part.key(), null, part.primary()))
                || (byColumns && part.primary() && constraint.isPrimary());
    }

    private String missing(Map<String, List<Part>> keys) {
        String there = keys.entrySet().stream()
                .map(key -> key.getKey() + " (" + names(key.getValue()) + ")")
                .collect(Collectors.joining(", "));
        return "is not there, so that nothing would stop a second row; create it as UNIQUE ("
                + String.join(", ", columns)
                + "), or name the one that is meant. There "
                + (there.isEmpty() ? "is no unique key on such a table" : "are: " + there);
    }

    private List<String> problems(List<Part> guard) {
        List<String> problems = new ArrayList<>();
        if (!lower(guard.stream().map(part -> String.valueOf(part.column())).toList())
                .equals(lower(columns))) {
            problems.add("covers " + names(guard) + ", and not " + String.join(", ", columns)
                    + "; name all its columns, and no others");
        }
        for (Part part : guard) {
            if (part.flaw() != null) {
                problems.add(part.flaw() + "; it has to cover its columns as they are, always and at once");
            }
            if (part.nullable()) {
                problems.add("covers " + part.column()
                        + ", which may be null, and takes any number of nulls; make the column" + " NOT NULL");
            }
            if (part.collation() != null) {
                problems.add("compares " + part.column() + " by " + part.collation()
                        + ", which takes different texts for the same; give the column a binary collation without padding"
                        + " (MariaDB: utf8mb4_nopad_bin), or keep a digest");
            }
        }
        return problems.stream().distinct().toList();
    }

    private static TreeSet<String> lower(List<String> names) {
        return names.stream().map(Names::folded).collect(Collectors.toCollection(TreeSet::new));
    }

    private static String names(List<Part> parts) {
        return parts.stream().map(part -> String.valueOf(part.column())).collect(Collectors.joining(", "));
    }
}
