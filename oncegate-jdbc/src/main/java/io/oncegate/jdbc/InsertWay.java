package io.oncegate.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How one kind of database inserts a row or hands back what is there. Thread-safe. */
interface InsertWay {
    /**
     * What was found.
     *
     * @param row what the reader made of the row; null if it was not read, because something differs or it was not seen
     * @param state what became of it
     * @param differing the content columns that differ
     */
    record Answer<T>(@Nullable T row, State state, List<String> differing) {
        static <T> Answer<T> first(T row) {
            return new Answer<>(row, State.FIRST, List.of());
        }

        static <T> Answer<T> of(State state) {
            return new Answer<>(null, state, List.of());
        }
    }

    /** What became of an insert. */
    enum State {
        /** It inserted the row. */
        FIRST,
        /** The row was there. */
        THERE,
        /** The row that was there is the guard's to the database, but its bytes are not the same. */
        OTHER_BYTES,
        /** A row was there that this statement could not see; a later one may. */
        UNSEEN,
        /** A row is there that this transaction will never see. */
        NEVER_SEEN
    }

    /**
     * Inserts or reads.
     *
     * @param columns the columns to insert, as the values have them
     * @throws SQLException also where another constraint refuses the row
     */
    <T> Answer<T> insert(Connection connection, List<String> columns, Map<String, ?> values, RowReader<T> reader)
            throws SQLException;

    /** Reads what is there; {@link State#UNSEEN} if nothing is. */
    <T> Answer<T> look(Connection connection, Map<String, ?> values, RowReader<T> reader) throws SQLException;

    /** What the guard's columns are, asked once. */
    List<GuardColumn> guard(Connection connection) throws SQLException;

    /** The way of a kind. */
    static InsertWay of(DatabaseKind kind, InsertPlan plan) {
        return switch (kind) {
            case POSTGRESQL -> new PostgresInsert(plan);
            case MARIADB -> new MySqlInsert(plan, true);
            case MYSQL -> new MySqlInsert(plan, false);
            case H2 -> new H2Insert(plan);
        };
    }
}
