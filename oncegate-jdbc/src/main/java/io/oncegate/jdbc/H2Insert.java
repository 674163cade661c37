package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** H2: inserts, and reads where the guard refuses; a refused statement leaves the transaction usable. */
final class H2Insert implements InsertWay {
    private final InsertPlan plan;
    /** The comparison of a column with a parameter, by the column's name in upper case. */
    private volatile @Nullable Map<String, String> same;

    H2Insert(InsertPlan plan) {
        this.plan = plan;
    }

    @Override
    public List<GuardColumn> guard(Connection connection) throws SQLException {
        return GuardColumn.described(connection, plan);
    }

    @Override
    public <T> Answer<T> insert(Connection connection, List<String> columns, Map<String, ?> values, RowReader<T> reader)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(Names.standard("SELECT " + plan.select("t")
                + " FROM FINAL TABLE (INSERT INTO " + plan.table() + " (" + String.join(", ", columns) + ") VALUES ("
                + InsertPlan.each(columns, ", ", "?") + ")) t"))) {
            InsertPlan.bind(statement, 1, columns, values);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return Answer.first(reader.read(row));
            }
        } catch (SQLException e) {
            if (!UniqueConstraint.anyRefused(e)) {
                throw e;
            }
            Answer<T> answer = look(connection, values, reader);
            // Another key may have been the first in the way.
            if (answer.state() == State.UNSEEN && !plan.constraint().refused(e)) {
                throw e;
            }
            return answer;
        }
    }

    @Override
    public <T> Answer<T> look(Connection connection, Map<String, ?> values, RowReader<T> reader) throws SQLException {
        Map<String, String> known = same(connection);
        StringBuilder flags = new StringBuilder("CASE WHEN ");
        for (String column : plan.guard()) {
            flags.append(same(known, column)).append(" AND ");
        }
        flags.append("TRUE THEN '1' ELSE '0' END");
        for (String column : plan.content()) {
            flags.append(" || CASE WHEN ").append(same(known, column)).append(" THEN '1' ELSE '0' END");
        }
        try (PreparedStatement statement =
                connection.prepareStatement(Names.standard("SELECT " + plan.select("t") + ", " + flags
                        + " AS oncegate_found FROM " + plan.table() + " t WHERE "
                        + InsertPlan.each(plan.guard(), " AND ", "t.{column} = ?")))) {
            int next = InsertPlan.bind(statement, 1, plan.guard(), values);
            next = InsertPlan.bind(statement, next, plan.content(), values);
            InsertPlan.bind(statement, next, plan.guard(), values);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? plan.met(row.getString("oncegate_found"), row, reader) : Answer.of(State.UNSEEN);
            }
        }
    }

    private static String same(Map<String, String> known, String column) {
        String condition = known.get(Names.bare(column).toUpperCase(Locale.ROOT));
        if (condition == null) {
            throw new SchemaException("the table has no column " + column + "; name one that it has");
        }
        return condition.replace("{column}", column);
    }

    private Map<String, String> same(Connection connection) throws SQLException {
        Map<String, String> known = same;
        if (known == null) {
            known = new HashMap<>();
            try (PreparedStatement statement = connection.prepareStatement(
                            Names.standard("SELECT * FROM " + plan.table() + " WHERE 1 = 0"));
                    ResultSet rows = statement.executeQuery()) {
                ResultSetMetaData data = rows.getMetaData();
                for (int i = 1; i <= data.getColumnCount(); i++) {
                    known.put(data.getColumnName(i).toUpperCase(Locale.ROOT), same(data, i));
                }
            }
            same = known;
        }
        return known;
    }

    /** The parameter as the column would have it; texts byte for byte. */
    private static String same(ResultSetMetaData data, int column) throws SQLException {
        String type = data.getColumnTypeName(column);
        int precision = data.getPrecision(column);
        int scale = data.getScale(column);
        return switch (data.getColumnType(column)) {
            case Types.CHAR, Types.NCHAR ->
                "STRINGTOUTF8(RTRIM(t.{column})) IS NOT DISTINCT FROM STRINGTOUTF8(RTRIM(CAST(? AS VARCHAR)))";
            case Types.VARCHAR, Types.NVARCHAR, Types.CLOB, Types.LONGVARCHAR ->
                "STRINGTOUTF8(CAST(t.{column} AS VARCHAR)) IS NOT DISTINCT FROM STRINGTOUTF8(CAST(? AS VARCHAR))";
            case Types.DECIMAL, Types.NUMERIC ->
                cast(
                        type.equals("DECFLOAT")
                                ? "DECFLOAT(" + precision + ")"
                                : "DECIMAL(" + precision + ", " + scale + ")");
            case Types.TIME -> cast("TIME(" + scale + ")");
            case Types.TIMESTAMP -> cast("TIMESTAMP(" + scale + ")");
            case Types.TIMESTAMP_WITH_TIMEZONE -> cast("TIMESTAMP(" + scale + ") WITH TIME ZONE");
            case Types.TIME_WITH_TIMEZONE -> cast("TIME(" + scale + ") WITH TIME ZONE");
            case Types.BINARY -> cast(type.equals("BINARY") ? "BINARY(" + precision + ")" : type);
            case Types.REAL -> cast("REAL");
            case Types.BOOLEAN, Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT, Types.DATE -> cast(type);
            default -> "t.{column} IS NOT DISTINCT FROM ?";
        };
    }

    private static String cast(String type) {
        return "t.{column} IS NOT DISTINCT FROM CAST(? AS " + type + ")";
    }
}
