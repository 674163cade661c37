package io.oncegate.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Rows by their primary keys. */
final class KeyedRows {
    private KeyedRows() {}

    /** The keys that a query gives in its first column. */
    static List<byte[]> ids(PreparedStatement statement) throws SQLException {
        List<byte[]> ids = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                ids.add(rows.getBytes(1));
            }
        }
        return ids;
    }

    /**
     * Deletes rows that are so old, in a transaction that the caller ends.
     *
     * @param old the query of their keys, which takes an age in microseconds and a limit
     * @param delete the statement up to the list of keys
     * @return how many went
     */
    static int purge(Session session, String old, String delete, long micros, int limit) throws SQLException {
        List<byte[]> ids;
        try (PreparedStatement statement = session.prepare(old)) {
            statement.setLong(1, micros);
            statement.setInt(2, limit);
            ids = ids(statement);
        }
        delete(session, delete, ids, "");
        return ids.size();
    }

    /**
     * Deletes them.
     *
     * @param delete the statement up to the list of keys
     * @param condition what else has to be so, or nothing
     */
    static void delete(Session session, String delete, List<byte[]> ids, String condition) throws SQLException {
        if (ids.isEmpty()) {
            return;
        }
        // A power of two of parameters, so that a server's statement cache does not fill with every number there is.
        int size = Integer.highestOneBit(ids.size() * 2 - 1);
        byte[][] all = Arrays.copyOf(ids.toArray(byte[][]::new), size);
        Arrays.fill(all, ids.size(), size, ids.get(0));
        try (PreparedStatement statement =
                session.prepare(delete + " IN (?" + ", ?".repeat(size - 1) + ")" + condition)) {
            Binder binder = new Binder(statement);
            for (byte[] id : all) {
                binder.bytes(id);
            }
            statement.executeUpdate();
        }
    }
}
