package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL. One statement looks for the row, inserts it without conflict where there is none, and hands back either. A
 * duplicate that was looked up inserts nothing, so it takes no number from a sequence.
 *
 * <ol>
 *   <li>Where neither was there nor inserted, a row has come in between that the statement cannot see: under READ COMMITTED the
 *       next statement can.
 *   <li>Under REPEATABLE READ and SERIALIZABLE such a row would be an error that ends the transaction, and is never seen. So
 *       in a caller's transaction of that kind the first statement only looks, which it finds out by itself; the insert comes
 *       behind a savepoint.
 *   <li>The statement bounds its own lock wait, and sets the transaction's back. Where the bound is reached the transaction is
 *       dead, unless there was a savepoint.
 * </ol>
 */
final class PostgresInsert implements InsertWay {
    private static final String READ_COMMITTED = "current_setting('transaction_isolation') LIKE 'read%'";

    private final InsertPlan plan;
    private volatile @Nullable Map<String, PostgresColumn> columns;

    PostgresInsert(InsertPlan plan) {
        this.plan = plan;
    }

    @Override
    public List<GuardColumn> guard(Connection connection) throws SQLException {
        Map<String, PostgresColumn> known = columns(connection);
        return plan.guard().stream()
                .map(name -> {
                    PostgresColumn column = column(known, name);
                    return new GuardColumn(name, column.text(), column.fixed(), column.size());
                })
                .toList();
    }

    @Override
    public <T> Answer<T> insert(Connection connection, List<String> names, Map<String, ?> values, RowReader<T> reader)
            throws SQLException {
        if (connection.getAutoCommit()) {
            return run(connection, sql(connection, names, "true"), names, values, reader)
                    .answer();
        }
        Ran<T> ran = run(connection, sql(connection, names, READ_COMMITTED), names, values, reader);
        if (ran.readCommitted() || ran.answer().state() != State.UNSEEN) {
            return ran.answer();
        }
        return behindSavepoint(connection, names, values, reader);
    }

    private <T> Answer<T> behindSavepoint(
            Connection connection, List<String> names, Map<String, ?> values, RowReader<T> reader) throws SQLException {
        Savepoint savepoint = connection.setSavepoint();
        try {
            Answer<T> answer = run(connection, sql(connection, names, "true"), names, values, reader)
                    .answer();
            connection.releaseSavepoint(savepoint);
            return answer;
        } catch (SQLException e) {
            connection.rollback(savepoint);
            connection.releaseSavepoint(savepoint);
            if ("40001".equals(e.getSQLState())) {
                return Answer.of(State.NEVER_SEEN);
            }
            throw e;
        }
    }

    @Override
    public <T> Answer<T> look(Connection connection, Map<String, ?> values, RowReader<T> reader) throws SQLException {
        List<String> names = List.copyOf(values.keySet());
        return run(connection, sql(connection, names, null), names, values, reader)
                .answer();
    }

    /** What a statement brought back. */
    private record Ran<T>(Answer<T> answer, boolean readCommitted) {}

    private <T> Ran<T> run(
            Connection connection, String sql, List<String> names, Map<String, ?> values, RowReader<T> reader)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            InsertPlan.bind(statement, 1, names, values);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                boolean first = row.getBoolean("oncegate_first");
                boolean unseen = row.wasNull();
                boolean readCommitted = row.getBoolean("oncegate_isolation");
                if (unseen) {
                    return new Ran<>(Answer.of(State.UNSEEN), readCommitted);
                }
                return new Ran<>(
                        first ? Answer.first(reader.read(row)) : plan.met(row.getString("oncegate_found"), row, reader),
                        readCommitted);
            }
        }
    }

    /**
     * The statement.
     *
     * @param condition under which it inserts; null if it only reads, which a connection that may not write can do too
     */
    private String sql(Connection connection, List<String> names, @Nullable String condition) throws SQLException {
        Map<String, PostgresColumn> known = columns(connection);
        StringBuilder values = new StringBuilder();
        for (String name : names) {
            values.append("CAST(? AS ")
                    .append(column(known, name).type())
                    .append(") AS ")
                    .append(name)
                    .append(", ");
        }
        StringBuilder flags = new StringBuilder(flag(all(known, plan.guard())));
        for (String name : plan.content()) {
            flags.append(" || ").append(flag(all(known, List.of(name))));
        }
        return "WITH v AS (SELECT " + values + "current_setting('lock_timeout') AS oncegate_before,"
                + " set_config('lock_timeout', '" + Math.max(1, plan.bound().toMillis())
                + "', true) AS oncegate_bound),"
                + " found AS (SELECT t.* FROM " + plan.table() + " t JOIN v ON "
                + InsertPlan.each(plan.guard(), " AND ", "t.{column} = v.{column}") + "),"
                + " ins AS (" + inserting(names, condition) + ")"
                + " SELECT " + plan.select("r") + ", r.oncegate_first, " + flags + " AS oncegate_found, "
                + READ_COMMITTED + " AS oncegate_isolation,"
                + " set_config('lock_timeout', v.oncegate_before, true) AS oncegate_after"
                + " FROM v LEFT JOIN (SELECT ins.*, true AS oncegate_first FROM ins"
                + " UNION ALL SELECT found.*, false FROM found) r ON true";
    }

    private String inserting(List<String> names, @Nullable String condition) {
        if (condition == null) {
            return "SELECT found.* FROM found WHERE false";
        }
        return "INSERT INTO " + plan.table() + " (" + String.join(", ", names) + ") SELECT "
                + InsertPlan.each(names, ", ", "v.{column}") + " FROM v WHERE oncegate_bound IS NOT NULL AND "
                + condition
                + " AND NOT EXISTS (SELECT 1 FROM found) ON CONFLICT (" + String.join(", ", plan.guard())
                + ") DO NOTHING RETURNING *";
    }

    private static String flag(String same) {
        return "CASE WHEN " + same + " THEN '0' ELSE '1' END";
    }

    private static String all(Map<String, PostgresColumn> known, List<String> names) {
        return names.stream()
                .map(name -> column(known, name).same("r." + name, "v." + name))
                .reduce((one, other) -> one + " AND " + other)
                .orElseThrow();
    }

    private Map<String, PostgresColumn> columns(Connection connection) throws SQLException {
        Map<String, PostgresColumn> known = columns;
        if (known == null) {
            known = PostgresColumn.of(connection, plan.table());
            if (known.isEmpty()) {
                throw new SchemaException("there is no table " + plan.table() + " on the search path; create it");
            }
            columns = known;
        }
        return known;
    }

    private static PostgresColumn column(Map<String, PostgresColumn> known, String name) {
        PostgresColumn column = known.get(name.toLowerCase(Locale.ROOT));
        if (column == null) {
            throw new SchemaException("the table has no column " + name + "; name one that it has");
        }
        return column;
    }
}
