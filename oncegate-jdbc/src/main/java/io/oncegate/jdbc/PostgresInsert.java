package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
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
    private static final String ROW =
            " SELECT i.*, '' AS oncegate_found FROM oncegate_inserted i" + " UNION ALL SELECT * FROM oncegate_there";

    private final InsertPlan plan;
    private final PerColumns<String> alone = new PerColumns<>(names -> Names.standard(alone(names)));
    private final PerColumns<String> joined =
            new PerColumns<>(names -> Names.standard(joined(names, READ_COMMITTED + " AND ")));
    private final PerColumns<String> behindSavepoint = new PerColumns<>(names -> Names.standard(joined(names, "")));
    private final PerColumns<String> look =
            new PerColumns<>(names -> Names.standard(with(names) + " SELECT * FROM oncegate_there"));
    private volatile @Nullable Map<String, PostgresColumn> columns;

    PostgresInsert(InsertPlan plan) {
        this.plan = plan;
    }

    @Override
    public List<GuardColumn> guard(Connection connection) throws SQLException {
        Map<String, PostgresColumn> known = PostgresColumn.of(connection, Names.standard(plan.table()));
        if (known.isEmpty()) {
            throw new SchemaException("there is no table " + plan.table() + " on the search path; create it");
        }
        columns = known;
        return plan.guard().stream()
                .map(name -> {
                    PostgresColumn column = column(name);
                    return new GuardColumn(name, column.text(), column.fixed(), column.size());
                })
                .toList();
    }

    @Override
    public <T> Answer<T> insert(Connection connection, List<String> names, Map<String, ?> values, RowReader<T> reader)
            throws SQLException {
        if (connection.getAutoCommit()) {
            return run(connection, alone.of(names), names, values, reader).answer();
        }
        Ran<T> ran = run(connection, joined.of(names), names, values, reader);
        if (ran.readCommitted() || ran.answer().state() != State.UNSEEN) {
            return ran.answer();
        }
        return behindSavepoint(connection, names, values, reader);
    }

    private <T> Answer<T> behindSavepoint(
            Connection connection, List<String> names, Map<String, ?> values, RowReader<T> reader) throws SQLException {
        Savepoint savepoint = connection.setSavepoint();
        try {
            Answer<T> answer = run(connection, behindSavepoint.of(names), names, values, reader)
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
        return run(connection, look.of(names), names, values, reader).answer();
    }

    /** What a statement brought back. */
    private record Ran<T>(Answer<T> answer, boolean readCommitted) {}

    private <T> Ran<T> run(
            Connection connection, String sql, List<String> names, Map<String, ?> values, RowReader<T> reader)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            InsertPlan.bind(statement, 1, names, values);
            try (ResultSet row = statement.executeQuery()) {
                boolean there = row.next();
                String found = there ? row.getString("oncegate_found") : null;
                if (found == null) {
                    return new Ran<>(Answer.of(State.UNSEEN), there && row.getBoolean("oncegate_isolation"));
                }
                return new Ran<>(found.isEmpty() ? Answer.first(reader.read(row)) : plan.met(found, row, reader), true);
            }
        }
    }

    /** In auto-commit: a setting of the transaction's ends with the statement, and no row says that none could be seen. */
    private String alone(List<String> names) {
        return with(names) + ", "
                + inserted(names, "oncegate_given v", "set_config('lock_timeout', '" + bound() + "', true) IS NOT NULL")
                + ROW;
    }

    /** In a transaction: the bound is set back, and a row of nulls says that none could be seen. */
    private String joined(List<String> names, String condition) {
        return with(names) + ", oncegate_bound AS (SELECT current_setting('lock_timeout') AS before,"
                + " set_config('lock_timeout', '" + bound() + "', true) AS bound), "
                + inserted(names, "oncegate_given v, oncegate_bound b", condition + "b.bound IS NOT NULL")
                + " SELECT r.*, " + READ_COMMITTED + " AS oncegate_isolation,"
                + " set_config('lock_timeout', b.before, true) AS oncegate_after FROM oncegate_bound b LEFT JOIN ("
                + ROW
                + ") r ON true";
    }

    private long bound() {
        return Math.max(1, plan.bound().toMillis());
    }

    /** The values as the columns would have them, and the row that is there. */
    private String with(List<String> names) {
        StringBuilder flags = new StringBuilder(flag(plan.guard()));
        for (String name : plan.content()) {
            flags.append(" || ").append(flag(List.of(name)));
        }
        return "WITH oncegate_given AS NOT MATERIALIZED (SELECT "
                + names.stream()
                        .map(name -> "CAST(? AS " + column(name).type() + ") AS " + name)
                        .collect(Collectors.joining(", "))
                + "), oncegate_there AS MATERIALIZED (SELECT " + plan.select("t") + ", " + flags
                + " AS oncegate_found FROM " + plan.table() + " t JOIN oncegate_given v ON "
                + InsertPlan.each(plan.guard(), " AND ", "t.{column} = v.{column}") + ")";
    }

    private String inserted(List<String> names, String from, String condition) {
        return "oncegate_inserted AS (INSERT INTO " + plan.table() + " AS t (" + String.join(", ", names) + ") SELECT "
                + InsertPlan.each(names, ", ", "v.{column}") + " FROM " + from
                + " WHERE NOT EXISTS (SELECT 1 FROM oncegate_there) AND " + condition + " ON CONFLICT ("
                + String.join(", ", plan.guard()) + ") DO NOTHING RETURNING " + plan.select("t") + ")";
    }

    private String flag(List<String> names) {
        return "CASE WHEN "
                + names.stream()
                        .map(name -> column(name).same("t." + name, "v." + name))
                        .collect(Collectors.joining(" AND "))
                + " THEN '1' ELSE '0' END";
    }

    private PostgresColumn column(String name) {
        Map<String, PostgresColumn> known = columns;
        PostgresColumn column = known == null
                ? null
                : known.get(Names.isQuoted(name) ? Names.bare(name) : name.toLowerCase(Locale.ROOT));
        if (column == null) {
            throw new SchemaException("the table has no column " + name + "; name one that it has");
        }
        return column;
    }
}
