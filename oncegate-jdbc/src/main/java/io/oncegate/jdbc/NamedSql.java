package io.oncegate.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A statement whose parameters have names, such as {@code :lease}, and may recur. Immutable.
 *
 * @param sql the statement as JDBC takes it
 * @param names its parameters from left to right
 */
record NamedSql(String sql, List<String> names) {
    /** Two colons are PostgreSQL's cast. */
    private static final Pattern NAME = Pattern.compile("(?<!:):([a-z]+)");

    static NamedSql of(String text) {
        List<String> names = new ArrayList<>();
        Matcher matcher = NAME.matcher(text);
        while (matcher.find()) {
            names.add(matcher.group(1));
        }
        return new NamedSql(matcher.replaceAll("?"), List.copyOf(names));
    }

    /** The same statement behind these words. */
    NamedSql behind(String prefix) {
        return prefix.isEmpty() ? this : new NamedSql(prefix + sql, names);
    }

    /** Fills the parameters in: numbers, texts and bytes. */
    void bind(PreparedStatement statement, Map<String, ?> values) throws SQLException {
        Binder binder = new Binder(statement);
        for (String name : names) {
            Object value = values.get(name);
            if (value instanceof Long number) {
                binder.number(number.longValue());
            } else if (value instanceof byte[] bytes) {
                binder.bytes(bytes);
            } else if (value instanceof String text) {
                binder.text(text);
            } else {
                throw new IllegalStateException("there is no value for :" + name);
            }
        }
    }
}
