package io.oncegate.jdbc;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.RecordMachine.Sweep;
import io.oncegate.core.spi.RecordPurger.Purged;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.StoredRecord;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * One batch of a sweep, in a transaction that the caller ends.
 *
 * <ol>
 *   <li>Lock up to so many rows whose {@code due_at} has passed, by its index, leaving out those that others hold locked.
 *       So it never waits, and two sweeps never meet.
 *   <li>Let {@link RecordMachine#sweep} decide on each, by the clock as it is read with the locked row. The index only
 *       proposes: it may be early.
 *   <li>By their primary keys, delete rows, drop results, and put off rows that were proposed too early.
 * </ol>
 */
final class PurgeSql {
    private static final AttemptId NOBODY = new AttemptId(0, 0);
    private static final Payload KEPT = Payload.of(new byte[0]);

    private final String due;
    private final String delete;
    private final String drop;
    private final String putOff;

    PurgeSql(String table, String now, String statementNow, String delete) {
        this.due = "SELECT id, state, fence, lease_end, retention, expires_at, result_until, "
                + "CASE WHEN result IS NULL THEN 0 ELSE 1 END, " + now + " FROM " + table + " WHERE due_at <= "
                + statementNow
                + " ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED";
        this.delete = delete.replace("{table}", table);
        this.drop = "UPDATE " + table + " SET result = NULL, result_until = 0, due_at = ? WHERE id = ?";
        this.putOff = "UPDATE " + table + " SET due_at = ? WHERE id = ?";
    }

    /** What a batch did, and whether it is worth another look at once although it removed nothing. */
    record Batch(Purged purged, boolean moreMayFollow) {}

    private record Later(RecordId id, Long due) {}

    Batch sweep(Session session, int limit, long margin) throws SQLException {
        List<byte[]> gone = new ArrayList<>();
        List<Later> dropped = new ArrayList<>();
        List<Later> early = new ArrayList<>();
        try (PreparedStatement statement = session.prepare(due)) {
            statement.setInt(1, limit);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    RecordId id = RecordId.fromBytes(rows.getBytes(1));
                    StoredRecord record = record(rows);
                    long now = rows.getLong(9);
                    Sweep sweep = RecordMachine.sweep(record, now, margin);
                    long end = RecordMachine.purgeableAt(record, margin);
                    switch (sweep) {
                        case DELETE -> gone.add(id.toBytes());
                        case DROP_RESULT -> dropped.add(new Later(id, end));
                        case KEEP ->
                            early.add(new Later(id, replays(record) ? Math.min(end, record.resultUntil()) : end));
                    }
                }
            }
        }
        KeyedRows.delete(session, delete, gone, "");
        update(session, drop, dropped);
        update(session, putOff, early);
        int found = gone.size() + dropped.size() + early.size();
        return new Batch(new Purged(gone.size(), dropped.size()), found == limit && found == early.size());
    }

    private static boolean replays(StoredRecord record) {
        return record.state().settled() && record.result() != null;
    }

    private static StoredRecord record(ResultSet row) throws SQLException {
        return new StoredRecord(
                "",
                RecordState.ofCode(row.getInt(2)),
                row.getLong(3),
                NOBODY,
                Fingerprint.none(),
                row.getLong(4),
                row.getLong(5),
                row.getLong(6),
                row.getBoolean(8) ? KEPT : null,
                row.getLong(7));
    }

    private static void update(Session session, String sql, List<Later> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = session.prepare(sql)) {
            for (Later row : rows) {
                Long due = row.due() == StoredRecord.NEVER ? null : row.due();
                new Binder(statement).number(due).bytes(row.id().toBytes());
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }
}
