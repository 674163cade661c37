package io.oncegate.jdbc;

import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** Checks the values of a guard's columns before the database is touched; for the insert-first helpers of mapping tools. */
public final class GuardValues {
    /**
     * The most bytes that all texts and binaries of a guard have together, whatever the columns take: PostgreSQL's index takes
     * about 2,700 and would tell only those texts apart that do not compress well.
     */
    static final int MAX_BYTES = 2_500;

    private GuardValues() {}

    /**
     * Refuses values that guard nothing (null, blank), or that databases would keep as something else.
     *
     * @throws InvalidKeyException if so; the message never has the value
     */
    public static void require(List<String> guard, Map<String, ?> values) {
        int bytes = 0;
        for (String column : guard) {
            Object value = values.get(column);
            if (value == null) {
                throw new InvalidKeyException("the value of " + column
                        + " is missing, and a unique constraint takes any number of nulls; send a key");
            } else if (value instanceof CharSequence text) {
                bytes += requireText(column, text.toString());
            } else if (value instanceof byte[] binary) {
                bytes += binary.length;
            }
            if (bytes > MAX_BYTES) {
                throw new InvalidKeyException("the values of " + String.join(", ", guard) + " have more than "
                        + MAX_BYTES + " bytes; send a shorter key, such as a UUID");
            }
        }
    }

    private static int requireText(String column, String text) {
        if (text.isBlank()) {
            throw new InvalidKeyException("the value of " + column + " is blank; send a key");
        }
        int bytes = utf8Length(text);
        if (bytes < 0) {
            throw new InvalidKeyException(
                    "the value of " + column + " is not valid Unicode, or has a zero character; send another key");
        }
        return bytes;
    }

    /** How many bytes it has as UTF-8; less than 0 if it has no such form, or a zero character. */
    private static int utf8Length(String text) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                bytes += 4;
                i++;
            } else if (c == 0 || Character.isSurrogate(c)) {
                return -1;
            } else {
                bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
            }
        }
        return bytes;
    }

    /** A short digest of the guard's values for logs and messages. */
    public static String digest(String table, List<String> guard, Map<String, ?> values) {
        List<String> parts = new ArrayList<>();
        for (String column : guard) {
            Object value = values.get(column);
            parts.add(value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : String.valueOf(value));
        }
        return OperationKey.of("insert-first", Scope.of(table), String.join("\u001f", parts))
                .digest();
    }
}
