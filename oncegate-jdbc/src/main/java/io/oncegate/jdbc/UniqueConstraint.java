package io.oncegate.jdbc;

import io.oncegate.core.error.StoreUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/**
 * The unique constraint that guards a table against a second row, told apart from every other one by its name. Immutable.
 *
 * <p>The name comes from where the database puts it, never from a search through the message: the values of the refused row
 * stand in the message too, and they are the client's. PostgreSQL sends it as a field of its own; MariaDB and MySQL put it
 * behind the values, H2 before them. Upper and lower case are the same, as they are to the databases for names without quotes.
 *
 * <p>A partition of a PostgreSQL table has constraints with names of its own, which do not match the table's.
 */
public final class UniqueConstraint {
    private static final int POSTGRES_NAME = 63;

    private final String name;
    private final boolean primary;

    private UniqueConstraint(String name, boolean primary) {
        this.name = name;
        this.primary = primary;
    }

    /**
     * The constraint or unique index of this name.
     *
     * @throws IllegalArgumentException if it is no name
     */
    public static UniqueConstraint named(String name) {
        return new UniqueConstraint(Names.bare(Names.requireColumn(name, "a constraint")), false);
    }

    /**
     * The primary key of a table, whose name is not the application's choice everywhere: {@code PRIMARY} with MariaDB and
     * MySQL, and unless it was given another one {@code <table>_pkey} with PostgreSQL. MariaDB does not say whose primary key
     * it was, so that a trigger's insert into another table cannot be told apart there: name a unique constraint then.
     *
     * @param table the table's name, with its schema's name and a dot before it if need be
     * @throws IllegalArgumentException if it is no name
     */
    public static UniqueConstraint primaryKey(String table) {
        return new UniqueConstraint(Names.bare(Names.withoutSchema(Names.requireTable(table))), true);
    }

    /**
     * Whether an exception means that this constraint has refused a row. Looks through causes and batches; where other unique
     * constraints have refused rows too, it is false.
     */
    public boolean refused(Throwable failure) {
        boolean found = false;
        for (Violation violation : Violation.allIn(failure)) {
            if (!isOf(violation)) {
                return false;
            }
            found = true;
        }
        return found;
    }

    /**
     * Whether an exception means that any unique constraint has refused a row: where a row breaks several, the database names the
     * one that it came to first.
     */
    public static boolean anyRefused(Throwable failure) {
        return !Violation.allIn(failure).isEmpty();
    }

    /**
     * Looks at start-up whether this constraint is there and guards what it is taken to guard: exactly these columns, none of
     * which may be null, or is compared by a collation that takes different texts for the same. For mapping tools and code of
     * your own; {@link InsertFirst#check} is the same for that helper.
     *
     * @param table the table's name, with its schema's name and a dot before it if need be
     * @throws SchemaException naming all that is wrong, and what to do
     * @throws StoreUnavailableException if the database cannot be asked
     */
    public void check(DataSource source, String table, String... columns) {
        check(source, checkOf(table, columns), table);
    }

    /**
     * The same on a connection.
     *
     * @throws SchemaException naming all that is wrong, and what to do
     * @throws SQLException as the database says
     */
    public void check(Connection connection, String table, String... columns) throws SQLException {
        checkOf(table, columns).run(connection);
    }

    private GuardCheck checkOf(String table, String... columns) {
        return new GuardCheck(this, Names.requireTable(table), List.of(columns), false);
    }

    static void check(DataSource source, GuardCheck check, String table) {
        try (Connection connection = source.getConnection()) {
            check.run(connection);
        } catch (SQLException e) {
            throw JdbcCalls.unavailable("jdbc:" + table, "the check of the guard", e);
        }
    }

    boolean isPrimary() {
        return primary;
    }

    boolean isOf(Violation violation) {
        if (!primary) {
            return isNamed(violation);
        } else if (violation.database() == Violation.Database.POSTGRESQL) {
            return postgresPrimary().equalsIgnoreCase(violation.name());
        }
        return violation.primary() && (violation.table() == null || name.equalsIgnoreCase(violation.table()));
    }

    /** Older versions of H2 name the index that was made for a constraint: the constraint's name and a number. */
    private boolean isNamed(Violation violation) {
        String found = violation.name();
        return name.equalsIgnoreCase(found)
                || (violation.database() == Violation.Database.H2
                        && found.regionMatches(true, 0, name, 0, name.length())
                        && found.substring(name.length()).matches("_INDEX_[0-9A-F]+"));
    }

    private String postgresPrimary() {
        String suffix = "_pkey";
        return name.substring(0, Math.min(name.length(), POSTGRES_NAME - suffix.length())) + suffix;
    }

    @Override
    public String toString() {
        return primary ? "the primary key of " + name : name;
    }
}
