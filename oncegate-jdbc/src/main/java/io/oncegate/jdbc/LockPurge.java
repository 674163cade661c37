package io.oncegate.jdbc;

import io.oncegate.core.lock.LockMachine;
import io.oncegate.core.lock.LockRow;
import io.oncegate.core.spi.AttemptId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * One batch of a purge of locks, in a transaction that the caller ends: locks rows whose {@code due_at} has passed, leaving
 * out those that others hold locked; deletes what {@link LockMachine#forgettable} says by the clock as it is read with the
 * locked row; and puts the others off. The index only proposes: using a lock does not move it.
 */
final class LockPurge {
    private static final AttemptId NOBODY = new AttemptId(0, 0);

    private final String due;
    private final String delete;
    private final String putOff;

    LockPurge(Dialect dialect) {
        this.due =
                dialect.sql("SELECT id, fence, lease_end, window_end, result_until, {now} FROM {table} WHERE due_at <= "
                        + dialect.words().statementNow() + " ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED");
        this.delete = dialect.sql(dialect.words().delete());
        this.putOff = dialect.sql("UPDATE {table} SET due_at = ? WHERE id = ?");
    }

    /** What a batch looked at, and what it deleted. */
    record Batch(int seen, int deleted) {}

    private record Later(byte[] id, long due) {}

    Batch sweep(Session session, int limit, long margin) throws SQLException {
        List<byte[]> gone = new ArrayList<>();
        List<Later> later = new ArrayList<>();
        try (PreparedStatement statement = session.prepare(due)) {
            statement.setInt(1, limit);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    byte[] id = rows.getBytes(1);
                    LockRow row = new LockRow(
                            NOBODY,
                            rows.getLong(2),
                            rows.getLong(3) == 0,
                            rows.getLong(3),
                            rows.getLong(4),
                            null,
                            0,
                            rows.getLong(5));
                    long now = rows.getLong(6);
                    if (LockMachine.forgettable(row, now, margin)) {
                        gone.add(id);
                    } else {
                        // It may be ended long before its lease is over, so look again in a while.
                        long over = Math.min(Math.max(row.heldUntil(), row.resultUntil()), now + margin);
                        later.add(new Later(id, Math.max(over, row.fence() + margin)));
                    }
                }
            }
        }
        KeyedRows.delete(session, delete, gone, "");
        putOff(session, later);
        return new Batch(gone.size() + later.size(), gone.size());
    }

    private void putOff(Session session, List<Later> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = session.prepare(putOff)) {
            for (Later row : rows) {
                new Binder(statement).number(row.due()).bytes(row.id());
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }
}
