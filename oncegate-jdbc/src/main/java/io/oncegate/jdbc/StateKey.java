package io.oncegate.jdbc;

import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HexFormat;
import java.util.UUID;

/**
 * The key of a row that a state machine moves: its value for statements, and its text for the history. A database may find a
 * row by another spelling (collations, blanks at the end, a text that begins like a number), so the row's own key is read
 * again and has to be the same text. Immutable.
 *
 * @param value as it is bound to a statement
 * @param text the same as text
 */
record StateKey(Object value, String text) {
    /** The most UTF-8 bytes of the text. */
    static final int MOST_BYTES = 255;

    /**
     * The key of this value.
     *
     * @throws InvalidKeyException if it is missing, over-long, has a NUL or is of a type that cannot be a key
     */
    static StateKey of(Object value) {
        StateKey key = new StateKey(value, text(value));
        if (key.text.getBytes(StandardCharsets.UTF_8).length > MOST_BYTES) {
            throw new InvalidKeyException(
                    "the key of a row has more than " + MOST_BYTES + " bytes as text; use a shorter one");
        } else if (key.text.indexOf('\0') >= 0) {
            throw new InvalidKeyException("the key of a row contains the character NUL, which no database's text has in"
                    + " common; name the row's own key");
        }
        return key;
    }

    private static String text(Object value) {
        if (value instanceof byte[] bytes) {
            return HexFormat.of().formatHex(bytes);
        }
        if (value instanceof String
                || value instanceof UUID
                || value instanceof Long
                || value instanceof Integer
                || value instanceof Short
                || value instanceof BigInteger) {
            return value.toString();
        }
        throw new InvalidKeyException(
                "the key of a row is a String, a whole number, a UUID or bytes; name the row's own key");
    }

    /** What the history keeps all events of the row under. */
    OperationKey entity(String machine) {
        return OperationKey.of(machine, Scope.global(), text);
    }

    /** What the history keeps one event under. */
    OperationKey event(String machine, String eventId) {
        return OperationKey.of(machine, Scope.of(text), eventId);
    }

    /** Whether the row's own key, in this column, is the same. */
    boolean isIn(ResultSet row, int column) throws SQLException {
        if (value instanceof byte[]) {
            byte[] bytes = row.getBytes(column);
            return bytes != null && HexFormat.of().formatHex(bytes).equals(text);
        }
        String found = row.getString(column);
        if (found == null) {
            return false;
        }
        if (found.endsWith(" ") && row.getMetaData().getColumnType(column) == Types.CHAR) {
            found = found.replaceAll(" +$", "");
        }
        return found.equals(text);
    }

    /** Says nothing of the key. */
    @Override
    public String toString() {
        return "StateKey[" + value.getClass().getSimpleName() + "]";
    }
}
