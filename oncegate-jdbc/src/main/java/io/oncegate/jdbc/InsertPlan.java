package io.oncegate.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What an insert-first is to do, but for the values. Immutable.
 *
 * @param table the table
 * @param constraint the guard
 * @param guard the guard's columns
 * @param content the columns in which a repetition has to agree
 * @param reading the columns to be read; all if empty
 * @param bound how long to wait for another transaction that has inserted the same and is still open
 */
record InsertPlan(
        String table,
        UniqueConstraint constraint,
        List<String> guard,
        List<String> content,
        List<String> reading,
        Duration bound) {

    /** The columns to be read, of this alias. */
    String select(String alias) {
        return reading.isEmpty()
                ? alias + ".*"
                : reading.stream().map(column -> alias + "." + column).collect(Collectors.joining(", "));
    }

    /** An expression for each of these columns, joined; {@code {column}} stands for it. */
    static String each(List<String> columns, String delimiter, String expression) {
        return columns.stream()
                .map(column -> expression.replace("{column}", column))
                .collect(Collectors.joining(delimiter));
    }

    /** The lock wait in whole seconds, at least one unless it is zero. */
    long waitSeconds() {
        return bound.plusMillis(999).toSeconds();
    }

    /** Binds the values of these columns from this index on; returns the next one. */
    static int bind(PreparedStatement statement, int from, List<String> columns, Map<String, ?> values)
            throws SQLException {
        int index = from;
        for (String column : columns) {
            statement.setObject(index++, values.get(column));
        }
        return index;
    }

    /**
     * What it means to have met this row.
     *
     * @param flags 1 for the same and 0 for another one: of the guard as a whole, then of each content column
     */
    <T> InsertWay.Answer<T> met(String flags, ResultSet row, RowReader<T> reader) throws SQLException {
        if (flags.charAt(0) == '0') {
            return InsertWay.Answer.of(InsertWay.State.OTHER_BYTES);
        }
        List<String> differing = differing(flags);
        return new InsertWay.Answer<>(differing.isEmpty() ? reader.read(row) : null, InsertWay.State.THERE, differing);
    }

    private List<String> differing(String flags) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < content.size(); i++) {
            if (flags.charAt(i + 1) == '0') {
                parts.add(content.get(i));
            }
        }
        return parts;
    }
}
