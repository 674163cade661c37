package io.oncegate.jdbc;

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

    /** Locks the newest row until the transaction ends; null if there is none. */
    @Nullable
    Row<S> lock(Session session, Dialect dialect, StateKey key) throws SQLException {
        String sql = table.select() + dialect.condition() + table.keyed() + " FOR UPDATE";
        return dialect.bounded(prefix -> Optional.ofNullable(read(session, dialect, prefix + sql, key)))
                .orElse(null);
    }

    /** Reads the row as the transaction sees it; null if there is none. */
    @Nullable
    Row<S> read(Session session, Dialect dialect, StateKey key) throws SQLException {
        return read(session, dialect, table.select() + table.keyed(), key);
    }

    private @Nullable Row<S> read(Session session, Dialect dialect, String sql, StateKey key) throws SQLException {
        try (PreparedStatement statement = session.prepare(sql)) {
            bind(statement, dialect, 1, key.value());
            // Not executeQuery: a driver may not see the query behind a prefix.
            statement.execute();
            try (ResultSet row = statement.getResultSet()) {
                if (!row.next() || !key.isIn(row, 1)) {
                    return null;
                }
                S state = codes.read(row, 2);
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

    /** Whether the row was still in this state and version, and has been moved. */
    boolean move(Session session, Dialect dialect, StateKey key, S from, S to, long version) throws SQLException {
        return dialect.current(prefix -> {
            try (PreparedStatement statement = session.prepare(prefix + table.move())) {
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
