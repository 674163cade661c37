package io.oncegate.jdbc;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.StoredRecord;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What an insert-or-read brought back.
 *
 * @param now the database's time
 * @param inserted the fence of the row that was inserted, or null if none was
 * @param record the row that was there, or null if there is none, or none that this transaction can see
 * @param busy whether another open transaction holds the key
 */
record Found(long now, @Nullable Long inserted, @Nullable StoredRecord record, boolean busy) {
    /** The columns of {@link #record(ResultSet, int)}, in its order. */
    static final String COLUMNS =
            "operation, state, fence, attempt, fingerprint, lease_end, retention, expires_at, result, result_until";

    static final Found BUSY = new Found(0, null, null, true);

    static Found inserted(long fence) {
        return new Found(fence, fence, null, false);
    }

    static Found existing(long now, @Nullable StoredRecord record) {
        return new Found(now, null, record, false);
    }

    /** Reads {@link #COLUMNS}; the first has this number. */
    static StoredRecord record(ResultSet row, int first) throws SQLException {
        byte[] result = row.getBytes(first + 8);
        return new StoredRecord(
                row.getString(first),
                RecordState.ofCode(row.getInt(first + 1)),
                row.getLong(first + 2),
                AttemptId.fromBytes(row.getBytes(first + 3)),
                Fingerprint.fromBytes(row.getBytes(first + 4)),
                row.getLong(first + 5),
                row.getLong(first + 6),
                row.getLong(first + 7),
                result == null ? null : Payload.of(result),
                row.getLong(first + 9));
    }
}
