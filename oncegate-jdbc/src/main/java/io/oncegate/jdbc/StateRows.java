package io.oncegate.jdbc;

import io.oncegate.core.error.MissingEntityException;
import io.oncegate.core.state.StateMachine;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The statements on the rows that a state machine moves. Immutable. */
final class StateRows<S extends Enum<S>> {
    /** The class of SQL states of what a value cannot be. */
    private static final String DATA_EXCEPTION = "22";

    /** The column's character set does not have the key's characters. */
    private static final int MYSQL_OTHER_CHARACTERS = 1267;

    private final StateMachine<S, ?> machine;
    private final StateTable table;
    private final StateCodes<S> codes;

    StateRows(StateMachine<S, ?> machine, StateTable table, StateCodes<S> codes) {
        this.machine = machine;
        this.table = table;
        this.codes = codes;
    }

    /**
     * A row.
     *
     * @param state its state; null if it has none that the machine has
     */
    record Row<S>(@Nullable S state, long version) {}

    /**
     * Locks the newest row until the transaction ends; null if there is none.
     *
     * @throws MissingEntityException if no row can have this key, and that has ended the transaction
     */
    @Nullable
    Row<S> lock(Session session, Dialect dialect, StateKey key) throws SQLException {
        String sql = table.select() + dialect.condition() + table.keyed() + " FOR UPDATE";
        return dialect.bounded(prefix -> Optional.ofNullable(read(session, dialect, prefix + sql, key)))
                .orElse(null);
    }

    /** Reads the row as the transaction sees it; null if there is none. Throws as {@link #lock} does. */
    @Nullable
    Row<S> read(Session session, Dialect dialect, StateKey key) throws SQLException {
        return read(session, dialect, table.select() + table.keyed(), key);
    }

    private @Nullable Row<S> read(Session session, Dialect dialect, String sql, StateKey key) throws SQLException {
        try (PreparedStatement statement = session.prepare(Names.quoted(session.connection(), sql))) {
            bind(statement, dialect, 1, key.value());
            if (!runs(statement, dialect, key)) {
                return null;
            }
            try (ResultSet row = statement.getResultSet()) {
                if (!row.next() || !key.isIn(row, 1)) {
                    return null;
                }
                S state = codes.read(row, 2);
                if (state != null && !machine.has(state)) {
                    state = null;
                }
                long version = row.getLong(3);
                if (row.wasNull()) {
                    throw new IllegalStateException("machine " + machine.name() + ": a row of " + table.table()
                            + " has no version (NULL); make the column NOT NULL DEFAULT 0");
                }
                if (row.next()) {
                    throw new IllegalStateException("machine " + machine.name() + ": several rows of " + table.table()
                            + " have the same key; name a column that is unique");
                }
                return new Row<>(state, version);
            }
        }
    }

    /**
     * Whether a row could have this key at all: not a text that the column's type has no value for, such as "abc" where keys are
     * numbers. With PostgreSQL that has ended the transaction.
     */
    private boolean runs(PreparedStatement statement, Dialect dialect, StateKey key) throws SQLException {
        try {
            // Not executeQuery: a driver may not see the query behind a prefix.
            statement.execute();
            return true;
        } catch (SQLException e) {
            boolean impossible = e.getErrorCode() == MYSQL_OTHER_CHARACTERS
                    || (e.getSQLState() != null && e.getSQLState().startsWith(DATA_EXCEPTION));
            if (!impossible) {
                throw e;
            } else if (dialect instanceof PostgresDialect) {
                throw missing(key);
            }
            return false;
        }
    }

    /** What is said where there is no such row. */
    MissingEntityException missing(StateKey key) {
        return new MissingEntityException(
                machine.name(), table.table(), key.entity(machine.name()).digest());
    }

    /** Whether the row was still in this state and version, and has been moved. */
    boolean move(Session session, Dialect dialect, StateKey key, S from, S to, long version) throws SQLException {
        return dialect.current(prefix -> {
            try (PreparedStatement statement =
                    session.prepare(Names.quoted(session.connection(), prefix + table.move()))) {
                bind(statement, dialect, 1, codes.code(to));
                bind(statement, dialect, 2, key.value());
                bind(statement, dialect, 3, codes.code(from));
                statement.setLong(4, version);
                return statement.executeUpdate() == 1;
            }
        });
    }

    /**
     * Binds a key or a code. UUIDs go as texts, which suits columns of both kinds. PostgreSQL takes a text of no said type also
     * for its own types, such as enums and UUIDs.
     */
    private static void bind(PreparedStatement statement, Dialect dialect, int index, Object value)
            throws SQLException {
        if (value instanceof byte[] bytes) {
            statement.setBytes(index, bytes);
        } else if (value instanceof String || value instanceof UUID) {
            if (dialect instanceof PostgresDialect) {
                statement.setObject(index, value.toString(), Types.OTHER);
            } else {
                statement.setString(index, value.toString());
            }
        } else if (value instanceof BigInteger number) {
            statement.setBigDecimal(index, new BigDecimal(number));
        } else {
            statement.setLong(index, ((Number) value).longValue());
        }
    }
}
