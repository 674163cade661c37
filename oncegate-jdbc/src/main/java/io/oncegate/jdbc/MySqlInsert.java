package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * MariaDB and MySQL. An insert whose duplicate changes nothing locks the row that is there, exclusively and at once, so that
 * several who wait for one key do not deadlock when its first inserter rolls back; and it sees the newest row whatever
 * snapshot the transaction has. What the duplicate's row has in common with the refused one is compared where both are at
 * hand as the columns would have them: byte for byte, after rounding and padding.
 *
 * <ol>
 *   <li>The comparison goes into a session variable, behind a random number of this call; the row comes back with it (MariaDB:
 *       RETURNING, the same statement; MySQL: a second one). Without that number the row is ours.
 *   <li>Such an insert stops at the first unique key that is in the way, which may be another one than the guard. Then the
 *       guard's columns are not the same, and a plain insert makes the database say what it is. If the guard's row is there too,
 *       that one counts.
 *   <li>MariaDB's statement is in strict mode, so that no key is truncated, and has its own lock wait.
 * </ol>
 */
final class MySqlInsert implements InsertWay {
    private static final String SAME = "BINARY {column} <=> BINARY VALUES({column})";

    /** The text of a FLOAT has six digits, fewer than it keeps. */
    private static final String SAME_FLOAT = "(" + SAME + " AND {column} <=> VALUES({column}))";

    /** The same for a parameter, that the column has not rounded; texts by their characters. */
    private static final String ASKED = "(t.{column} <=> ? AND (COLLATION(t.{column}) = 'binary'"
            + " OR BINARY CONVERT(t.{column} USING utf8mb4) <=> BINARY CONVERT(? USING utf8mb4)))";

    private static final String LOCKING = " LOCK IN SHARE MODE";
    private static final int RACES = 5;

    private final InsertPlan plan;
    private final boolean returning;
    private final MariaDbSettings settings = new MariaDbSettings();
    private final PerColumns<String> insertOrKeep;
    private final PerColumns<String> insertAlone;
    private volatile List<String> touched = List.of();
    private volatile Set<String> noFloats = Set.of();

    MySqlInsert(InsertPlan plan, boolean returning) {
        this.plan = plan;
        this.returning = returning;
        String row = returning ? " RETURNING " + plan.select(plan.table()) : "";
        this.insertOrKeep = new PerColumns<>(columns -> Names.mySql(insertSql(columns) + " ON DUPLICATE KEY UPDATE "
                + keeping() + row + (returning ? ", @oncegate AS oncegate_found" : "")));
        this.insertAlone = new PerColumns<>(
                columns -> Names.mySql(insertSql(columns) + row + (returning ? ", NULL AS oncegate_found" : "")));
    }

    @Override
    public List<GuardColumn> guard(Connection connection) throws SQLException {
        describe(connection);
        return GuardColumn.described(connection, plan);
    }

    /** Finds the columns that an update would touch by itself, quoted; and those of other types than FLOAT, in lower case. */
    private void describe(Connection connection) throws SQLException {
        String schema = Names.schema(plan.table());
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT COLUMN_NAME, EXTRA LIKE '%on update%', DATA_TYPE = 'float' FROM information_schema.COLUMNS"
                        + " WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ?")) {
            statement.setString(1, schema == null ? null : Names.bare(schema));
            statement.setString(2, Names.bare(Names.withoutSchema(plan.table())));
            try (ResultSet row = statement.executeQuery()) {
                List<String> updated = new ArrayList<>();
                Set<String> others = new HashSet<>();
                while (row.next()) {
                    String name = row.getString(1);
                    if (row.getBoolean(2)) {
                        updated.add("`" + name.replace("`", "``") + "`");
                    }
                    if (!row.getBoolean(3)) {
                        others.add(name.toLowerCase(Locale.ROOT));
                    }
                }
                touched = List.copyOf(updated);
                noFloats = Set.copyOf(others);
            }
        }
    }

    @Override
    public <T> Answer<T> insert(Connection connection, List<String> columns, Map<String, ?> values, RowReader<T> reader)
            throws SQLException {
        for (int races = 0; ; races++) {
            Answer<T> answer = insertOrKeep(connection, columns, values, reader);
            if (answer.state() != State.OTHER_BYTES) {
                return answer;
            }
            try {
                return strictly(connection, prefix -> insertAlone(connection, prefix, columns, values, reader));
            } catch (SQLException e) {
                if (!plan.constraint().refused(e)) {
                    return behindAnotherKey(connection, values, reader, e);
                } else if (races == RACES) {
                    return answer;
                }
            }
        }
    }

    private <T> Answer<T> insertOrKeep(
            Connection connection, List<String> columns, Map<String, ?> values, RowReader<T> reader)
            throws SQLException {
        String call = Long.toString(ThreadLocalRandom.current().nextLong(), 36) + ":";
        String sql = insertOrKeep.of(columns);
        if (returning) {
            return strictly(connection, prefix -> {
                try (PreparedStatement statement = connection.prepareStatement(prefix + sql)) {
                    bind(statement, columns, values, call);
                    return answer(statement, call, reader);
                }
            });
        }
        try (PreparedStatement statement = limited(connection.prepareStatement(sql))) {
            bind(statement, columns, values, call);
            statement.executeUpdate();
        }
        Answer<T> answer = read(connection, values, call, reader);
        return answer.state() == State.UNSEEN ? Answer.of(State.OTHER_BYTES) : answer;
    }

    private static void bind(PreparedStatement statement, List<String> columns, Map<String, ?> values, String call)
            throws SQLException {
        statement.setString(InsertPlan.bind(statement, 1, columns, values), call);
    }

    /** Writes the comparison into the variable, and assigns to themselves a column and those that an update would touch. */
    private String keeping() {
        StringBuilder assigned = new StringBuilder();
        for (String column : touched) {
            assigned.append(", ").append(column).append(" = ").append(column);
        }
        String column = plan.guard().get(0);
        return column + " = IF(ISNULL(@oncegate := CONCAT(?, " + flags(this::same) + ")), " + column + ", " + column
                + ")" + assigned;
    }

    private String same(String column) {
        return (noFloats.contains(Names.folded(column)) ? SAME : SAME_FLOAT).replace("{column}", column);
    }

    /** 1 for the same and 0 for another one: of the guard as a whole, then of each content column. */
    private String flags(UnaryOperator<String> same) {
        return plan.guard().stream().map(same).collect(Collectors.joining(" AND "))
                + plan.content().stream()
                        .map(column -> ", " + same.apply(column))
                        .collect(Collectors.joining());
    }

    private String insertSql(List<String> columns) {
        return "INSERT INTO " + plan.table() + " (" + String.join(", ", columns) + ") VALUES ("
                + InsertPlan.each(columns, ", ", "?") + ")";
    }

    private <T> Answer<T> insertAlone(
            Connection connection, String prefix, List<String> columns, Map<String, ?> values, RowReader<T> reader)
            throws SQLException {
        String sql = insertAlone.of(columns);
        if (returning) {
            try (PreparedStatement statement = connection.prepareStatement(prefix + sql)) {
                InsertPlan.bind(statement, 1, columns, values);
                return answer(statement, null, reader);
            }
        }
        try (PreparedStatement statement = limited(connection.prepareStatement(sql))) {
            InsertPlan.bind(statement, 1, columns, values);
            statement.executeUpdate();
        }
        return read(connection, values, null, reader);
    }

    /** The guard's row, if it is there too; else what another key has refused. */
    private <T> Answer<T> behindAnotherKey(
            Connection connection, Map<String, ?> values, RowReader<T> reader, SQLException refusal)
            throws SQLException {
        if (!UniqueConstraint.anyRefused(refusal)) {
            throw refusal;
        }
        List<String> compared = new ArrayList<>();
        for (List<String> columns : List.of(plan.guard(), plan.content())) {
            columns.forEach(column -> compared.addAll(List.of(column, column)));
        }
        compared.addAll(plan.guard());
        try (PreparedStatement statement = connection.prepareStatement(Names.mySql(
                "SELECT " + plan.select("t") + ", CONCAT(" + flags(column -> ASKED.replace("{column}", column))
                        + ") AS oncegate_found FROM " + plan.table() + " t WHERE "
                        + InsertPlan.each(plan.guard(), " AND ", "t.{column} = ?") + LOCKING))) {
            InsertPlan.bind(statement, 1, compared, values);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw refusal;
                }
                return plan.met(row.getString("oncegate_found"), row, reader);
            }
        }
    }

    @Override
    public <T> Answer<T> look(Connection connection, Map<String, ?> values, RowReader<T> reader) {
        throw new UnsupportedOperationException("the insert sees the newest row");
    }

    /**
     * Reads the row that was inserted, or met: the newest one only where the transaction does not see it otherwise, for a
     * locking read would also lock the gap before a row of our own, and neighbouring keys with it.
     */
    private <T> Answer<T> read(Connection connection, Map<String, ?> values, @Nullable String call, RowReader<T> reader)
            throws SQLException {
        Answer<T> seen = read(connection, "", values, call, reader);
        return seen.state() == State.UNSEEN ? read(connection, LOCKING, values, call, reader) : seen;
    }

    private <T> Answer<T> read(
            Connection connection, String locking, Map<String, ?> values, @Nullable String call, RowReader<T> reader)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(Names.mySql("SELECT " + plan.select("t")
                + ", @oncegate AS oncegate_found FROM " + plan.table() + " t WHERE "
                + InsertPlan.each(plan.guard(), " AND ", "t.{column} = ?") + locking))) {
            InsertPlan.bind(statement, 1, plan.guard(), values);
            return answer(statement, call, reader);
        }
    }

    private <T> Answer<T> answer(PreparedStatement statement, @Nullable String call, RowReader<T> reader)
            throws SQLException {
        // Not executeQuery: MySQL's driver refuses it for what begins with INSERT or SET.
        statement.execute();
        try (ResultSet row = statement.getResultSet()) {
            if (!row.next()) {
                return Answer.of(State.UNSEEN);
            }
            String found = call == null ? null : row.getString("oncegate_found");
            if (call == null || found == null || !found.startsWith(call)) {
                return Answer.first(reader.read(row));
            }
            return plan.met(found.substring(call.length()), row, reader);
        }
    }

    private <T> T strictly(Connection connection, Dialect.Prefixed<T> statement) throws SQLException {
        if (!returning) {
            return statement.run("");
        }
        try {
            return settings.run(
                    "sql_mode=CONCAT(@@sql_mode, ',STRICT_ALL_TABLES'), innodb_lock_wait_timeout=" + plan.waitSeconds(),
                    statement);
        } catch (SQLException e) {
            if (SqlTrouble.of(e) == SqlTrouble.LOCKED && !connection.getAutoCommit()) {
                MariaDbSettings.requireTransaction(connection, e);
            }
            throw e;
        }
    }

    /** MySQL has no lock wait per statement. */
    private PreparedStatement limited(PreparedStatement statement) throws SQLException {
        statement.setQueryTimeout((int) Math.max(1, Math.min(Integer.MAX_VALUE, plan.waitSeconds())));
        return statement;
    }
}
