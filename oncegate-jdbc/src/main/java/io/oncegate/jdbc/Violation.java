package io.oncegate.jdbc;

import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A violation of a unique constraint, as the database reports it.
 *
 * @param database whose way of saying it
 * @param name the key, constraint or index, without its schema; empty if the message is none that is known
 * @param table the table's name without its schema, or null where the database does not say
 * @param primary whether the database says that it is a primary key; PostgreSQL does not
 */
record Violation(Database database, String name, @Nullable String table, boolean primary) {
    enum Database {
        POSTGRESQL,
        MYSQL,
        H2
    }

    private static final int MYSQL_DUPLICATE = 1062;
    private static final int MYSQL_DUPLICATE_WITH_KEY_NAME = 1586;
    private static final int H2_DUPLICATE = 23505;
    private static final String UNIQUE_STATE = "23505";
    private static final int MOST_CAUSES = 1000;

    /** The driver may put its connection's number before the server's words. */
    private static final Pattern MYSQL_ENGLISH =
            Pattern.compile("(\\(conn=\\d+\\) )?Duplicate entry '.*", Pattern.DOTALL);

    private static final String MYSQL_KEY = "' for key '";

    /** In every language the key stands behind the value. */
    private static final Pattern MYSQL_LAST_QUOTED = Pattern.compile(".*'([^']*)'[^']*", Pattern.DOTALL);

    private static final Pattern H2_PRIMARY = Pattern.compile("PRIMARY_KEY_[0-9A-F]+");

    private static final String H2_NAME = "(?:[A-Za-z0-9_$]+|\"\"(?:[^\"]|\"\"\"\")+\"\")";

    /** Constraint, index and table come first, then the columns, and then the values. Older versions name the index alone. */
    private static final Pattern H2_INDEX = Pattern.compile(
            "[^\"]*\"(?:NAME\\.)?(?:(PRIMARY KEY)|(NAME)(?: (PRIMARY KEY)| INDEX (?:NAME\\.)?(NAME))?) ON (?:NAME\\.)?(NAME)\\(.*"
                    .replace("NAME", H2_NAME),
            Pattern.DOTALL);

    /** Values stand on the lines below. */
    private static final Pattern POSTGRES_LAST_QUOTED = Pattern.compile(".*[\"«»„“”]([^\"«»„“”]+)[\"«»„“”][^\"«»„“”]*");

    /** All of them in an exception, its causes, and the exceptions of a batch. */
    static List<Violation> allIn(Throwable failure) {
        List<Violation> found = new ArrayList<>();
        collect(failure, found, Collections.newSetFromMap(new IdentityHashMap<>()));
        return found;
    }

    private static void collect(@Nullable Throwable failure, List<Violation> found, Set<Throwable> seen) {
        for (Throwable t = failure; t != null && seen.size() < MOST_CAUSES && seen.add(t); t = t.getCause()) {
            if (t instanceof SQLException e) {
                Violation one = of(e);
                if (one != null) {
                    found.add(one);
                }
                for (SQLException next = e.getNextException();
                        next != null && !seen.contains(next);
                        next = next.getNextException()) {
                    collect(next, found, seen);
                }
            }
        }
    }

    private static @Nullable Violation of(SQLException e) {
        // A batch's own message repeats the statement with its values; what the server said comes behind it.
        if (e instanceof BatchUpdateException && (e.getNextException() != null || e.getCause() != null)) {
            return null;
        }
        String message = e.getMessage() == null ? "" : e.getMessage();
        int code = e.getErrorCode();
        if (code == MYSQL_DUPLICATE || code == MYSQL_DUPLICATE_WITH_KEY_NAME) {
            return ofMySql(mySqlKey(message));
        } else if (code == H2_DUPLICATE) {
            return ofH2(message);
        }
        return UNIQUE_STATE.equals(e.getSQLState()) ? ofPostgres(e, message) : null;
    }

    /** MySQL has the table's name and a dot before the key's. */
    private static Violation ofMySql(String key) {
        int dot = key.lastIndexOf('.');
        String name = key.substring(dot + 1);
        return new Violation(
                Database.MYSQL, name, dot < 0 ? null : key.substring(0, dot), "PRIMARY".equalsIgnoreCase(name));
    }

    private static String mySqlKey(String message) {
        if (MYSQL_ENGLISH.matcher(message).matches()) {
            int from = message.lastIndexOf(MYSQL_KEY) + MYSQL_KEY.length();
            int to = message.indexOf('\'', from);
            return to < 0 ? "" : message.substring(from, to);
        }
        Matcher matcher = MYSQL_LAST_QUOTED.matcher(message);
        return matcher.matches() ? matcher.group(1) : "";
    }

    private static Violation ofH2(String message) {
        Matcher matcher = H2_INDEX.matcher(message);
        if (!matcher.matches()) {
            return new Violation(Database.H2, "", null, false);
        }
        String table = unquoted(matcher.group(5));
        String index = matcher.group(4) == null ? matcher.group(2) : matcher.group(4);
        boolean primary = matcher.group(1) != null
                || matcher.group(3) != null
                || H2_PRIMARY.matcher(index).matches();
        String name = matcher.group(2) == null ? "" : unquoted(matcher.group(2));
        return new Violation(Database.H2, name, table, primary);
    }

    private static String unquoted(String name) {
        return name.startsWith("\"\"") ? name.substring(2, name.length() - 2).replace("\"\"\"\"", "\"") : name;
    }

    /** The server's own field; another driver's message is read. */
    private static Violation ofPostgres(SQLException e, String message) {
        String constraint = PostgresError.field(e, "getConstraint");
        if (constraint != null) {
            return new Violation(Database.POSTGRESQL, constraint, PostgresError.field(e, "getTable"), false);
        }
        Matcher matcher =
                POSTGRES_LAST_QUOTED.matcher(message.lines().findFirst().orElse(""));
        return new Violation(Database.POSTGRESQL, matcher.matches() ? matcher.group(1) : "", null, false);
    }
}
