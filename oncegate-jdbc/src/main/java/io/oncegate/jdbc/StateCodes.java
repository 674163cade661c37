package io.oncegate.jdbc;

import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the database calls the states: texts or whole numbers, one for each. Immutable. */
final class StateCodes<S extends Enum<S>> {
    /** The most characters that a code or an event's name may have. */
    static final int MOST_CHARACTERS = 100;

    private final Map<S, Object> codes;
    private final Map<String, S> states = new HashMap<>();
    private final boolean numbers;

    /** The codes that this function gives. */
    StateCodes(Class<S> type, Function<? super S, ?> code) {
        this.codes = new EnumMap<>(type);
        int numeric = 0;
        for (S state : type.getEnumConstants()) {
            Object value = code.apply(state);
            if (!(value instanceof String) && !isWhole(value)) {
                throw new IllegalArgumentException("the code of the state " + state
                        + " is neither a text nor a whole number; map it to a String, an Integer or a Long");
            }
            numeric += value instanceof String ? 0 : 1;
            String text = requireShort(value.toString());
            if (states.put(text, state) != null) {
                throw new IllegalArgumentException("two states have the code " + text + "; give each its own");
            }
            codes.put(state, value);
        }
        this.numbers = numeric > 0;
        if (numbers && numeric < codes.size()) {
            throw new IllegalArgumentException("some codes are texts and some are numbers; use one kind");
        }
    }

    private static boolean isWhole(@Nullable Object value) {
        return value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte;
    }

    /** Refuses what has no room in the history. */
    static String requireShort(String text) {
        if (text.isBlank() || text.length() > MOST_CHARACTERS) {
            throw new IllegalArgumentException("the name of an event and the code of a state have 1 to "
                    + MOST_CHARACTERS + " characters, not as many as: " + text);
        }
        return text;
    }

    /** The code as it is bound to a statement. */
    Object code(S state) {
        Object code = codes.get(state);
        if (code == null) {
            throw new IllegalStateException("the state " + state + " has no code");
        }
        return code;
    }

    /** The code as the history has it. */
    String text(S state) {
        return code(state).toString();
    }

    /** The state of a code in the history, or null if there is none. */
    @Nullable
    S state(String text) {
        return states.get(text);
    }

    /** The state in a column, or null if there is none, or none with this code. */
    @Nullable
    S read(ResultSet row, int column) throws SQLException {
        if (numbers) {
            long number = row.getLong(column);
            return row.wasNull() ? null : states.get(BigInteger.valueOf(number).toString());
        }
        String text = row.getString(column);
        if (text == null) {
            return null;
        }
        S state = states.get(text);
        // A CHAR column fills its values up with blanks; elsewhere they are part of the text.
        return state != null || row.getMetaData().getColumnType(column) != Types.CHAR
                ? state
                : states.get(text.stripTrailing());
    }
}
