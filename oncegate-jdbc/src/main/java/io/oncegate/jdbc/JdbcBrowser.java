package io.oncegate.jdbc;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.Inquiry;
import io.oncegate.core.spi.RecordBrowser.Entry;
import io.oncegate.core.spi.RecordBrowser.Page;
import io.oncegate.core.spi.RecordBrowser.Query;
import io.oncegate.core.spi.RecordState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the table in the order of its primary key, a bounded stretch at a time, so that a page costs no more where few
 * rows match. Thread-safe.
 */
final class JdbcBrowser {
    /** How many rows a page looks at. */
    private static final int STRETCH = 10_000;

    private static final String COLUMNS =
            "SELECT id, operation, state, fence, lease_end, expires_at, OCTET_LENGTH(result),"
                    + " CASE WHEN state = 4 THEN result END, result_until FROM {table}";

    private final JdbcCalls calls;

    JdbcBrowser(JdbcCalls calls) {
        this.calls = calls;
    }

    Optional<Entry> find(RecordId id) {
        return calls.call("a look-up", (session, dialect) -> {
            try (PreparedStatement statement = session.prepare(dialect.sql(COLUMNS + " WHERE id = ?"))) {
                new Binder(statement).bytes(id.toBytes());
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? Optional.of(entry(row)) : Optional.empty();
                }
            }
        });
    }

    Page browse(Query query) {
        byte[] after = query.after() == null
                ? new byte[0]
                : RecordId.parse(query.after()).toBytes();
        return calls.call("a listing", (session, dialect) -> {
            RecordId end = end(session, dialect, after);
            List<Entry> entries = entries(session, dialect, query, after, end);
            RecordId last = entries.size() == query.limit()
                    ? entries.get(entries.size() - 1).id()
                    : end;
            return new Page(List.copyOf(entries), last == null ? null : last.toString());
        });
    }

    private static @Nullable RecordId end(Session session, Dialect dialect, byte[] after) throws SQLException {
        String sql = dialect.sql("SELECT id FROM {table} WHERE id > ? ORDER BY id LIMIT 1 OFFSET " + (STRETCH - 1));
        try (PreparedStatement statement = session.prepare(sql)) {
            new Binder(statement).bytes(after);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? RecordId.fromBytes(row.getBytes(1)) : null;
            }
        }
    }

    private static List<Entry> entries(
            Session session, Dialect dialect, Query query, byte[] after, @Nullable RecordId end) throws SQLException {
        StringBuilder sql = new StringBuilder(COLUMNS + " WHERE id > ?");
        if (end != null) {
            sql.append(" AND id <= ?");
        }
        if (query.operation() != null) {
            sql.append(" AND operation = ?");
        }
        if (query.state() != null) {
            sql.append(" AND state = ?");
        }
        sql.append(" ORDER BY id LIMIT ?");
        List<Entry> entries = new ArrayList<>();
        try (PreparedStatement statement = session.prepare(dialect.sql(sql.toString()))) {
            Binder binder = new Binder(statement).bytes(after);
            if (end != null) {
                binder.bytes(end.toBytes());
            }
            if (query.operation() != null) {
                binder.text(query.operation());
            }
            if (query.state() != null) {
                binder.number(query.state().code());
            }
            binder.number(query.limit());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    entries.add(entry(rows));
                }
            }
        }
        return entries;
    }

    private static Entry entry(ResultSet row) throws SQLException {
        RecordState state = RecordState.ofCode(row.getInt(3));
        int size = row.getInt(7);
        if (row.wasNull() || !state.settled()) {
            size = -1;
        }
        byte[] inquiry = row.getBytes(8);
        return new Entry(
                RecordId.fromBytes(row.getBytes(1)),
                row.getString(2),
                state,
                row.getLong(4),
                row.getLong(5),
                row.getLong(6),
                size,
                inquiry == null ? 0 : Inquiry.read(inquiry).asked(),
                state == RecordState.UNKNOWN ? row.getLong(9) : 0);
    }
}
