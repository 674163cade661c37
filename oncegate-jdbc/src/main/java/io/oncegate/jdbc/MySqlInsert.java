package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
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
 *       guard's columns are not the same, and a plain insert makes the database say what it is.
 *   <li>MariaDB's statement is in strict mode, so that no key is truncated, and has its own lock wait.
 * </ol>
 */
final class MySqlInsert implements InsertWay {
    private static final String SAME = "BINARY {column} <=> BINARY VALUES({column})";
    private static final int RACES = 5;

    private final InsertPlan plan;
    private final boolean returning;
    private final MariaDbSettings settings = new MariaDbSettings();
    private final PerColumns<String> insertOrKeep;
    private final PerColumns<String> insertAlone;

    MySqlInsert(InsertPlan plan, boolean returning) {
        this.plan = plan;
        this.returning = returning;
        String keeping = " ON DUPLICATE KEY UPDATE " + keeping();
        String row = returning ? " RETURNING " + plan.select(plan.table()) : "";
        this.insertOrKeep = new PerColumns<>(
                columns -> insertSql(columns) + keeping + row + (returning ? ", @oncegate AS oncegate_found" : ""));
        this.insertAlone =
                new PerColumns<>(columns -> insertSql(columns) + row + (returning ? ", NULL AS oncegate_found" : ""));
    }

    @Override
    public List<GuardColumn> guard(Connection connection) throws SQLException {
        return GuardColumn.described(connection, plan);
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
                    throw e;
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

    /** Writes the comparison into the variable, and assigns a column to itself. */
    private String keeping() {
        String flags = InsertPlan.each(plan.guard(), " AND ", SAME) + InsertPlan.each(plan.content(), "", ", " + SAME);
        String column = plan.guard().get(0);
        return column + " = IF(ISNULL(@oncegate := CONCAT(?, " + flags + ")), " + column + ", " + column + ")";
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
        return seen.state() == State.UNSEEN ? read(connection, " LOCK IN SHARE MODE", values, call, reader) : seen;
    }

    private <T> Answer<T> read(
            Connection connection, String locking, Map<String, ?> values, @Nullable String call, RowReader<T> reader)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT " + plan.select("t")
                + ", @oncegate AS oncegate_found FROM " + plan.table() + " t WHERE "
                + InsertPlan.each(plan.guard(), " AND ", "t.{column} = ?") + locking)) {
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
