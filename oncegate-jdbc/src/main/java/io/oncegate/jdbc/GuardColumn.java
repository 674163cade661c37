package io.oncegate.jdbc;

import io.oncegate.core.error.InvalidKeyException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A column of a guarding constraint, and what it takes. Immutable.
 *
 * @param name its name
 * @param text whether it keeps text
 * @param fixed whether it pads what is shorter than it
 * @param size the most characters or bytes that it takes; 0 if any number
 */
record GuardColumn(String name, boolean text, boolean fixed, int size) {
    private static final Set<Integer> TEXTS = Set.of(
            Types.CHAR,
            Types.NCHAR,
            Types.VARCHAR,
            Types.NVARCHAR,
            Types.LONGVARCHAR,
            Types.LONGNVARCHAR,
            Types.CLOB,
            Types.NCLOB);

    /** As the driver describes the columns of a query that finds nothing. */
    static List<GuardColumn> described(Connection connection, InsertPlan plan) throws SQLException {
        String sql = "SELECT " + String.join(", ", plan.guard()) + " FROM " + plan.table() + " WHERE 1 = 0";
        try (PreparedStatement statement = connection.prepareStatement(Names.quoted(connection, sql));
                ResultSet rows = statement.executeQuery()) {
            ResultSetMetaData data = rows.getMetaData();
            List<GuardColumn> columns = new ArrayList<>();
            for (int i = 1; i <= data.getColumnCount(); i++) {
                int type = data.getColumnType(i);
                boolean text =
                        TEXTS.contains(type) && !data.getColumnTypeName(i).startsWith("ENUM");
                boolean fixed = type == Types.CHAR || type == Types.NCHAR || isFixedBinary(data, i, type);
                boolean sized = text || fixed || type == Types.VARBINARY;
                columns.add(new GuardColumn(plan.guard().get(i - 1), text, fixed, sized ? data.getPrecision(i) : 0));
            }
            return List.copyOf(columns);
        }
    }

    /** MariaDB's driver has another type for it than others, and H2 calls a UUID so too. */
    private static boolean isFixedBinary(ResultSetMetaData data, int column, int type) throws SQLException {
        return (type == Types.BINARY || type == Types.VARBINARY || type == Types.LONGVARBINARY)
                && data.getColumnTypeName(column).equals("BINARY");
    }

    /**
     * Refuses what the column could not keep as it is.
     *
     * @throws InvalidKeyException if so
     */
    void require(Object value) {
        if (text && value instanceof CharSequence) {
            String given = value.toString();
            int length = given.codePointCount(0, given.length());
            if (size > 0 && length > size) {
                throw new InvalidKeyException("the value of " + name + " has " + length
                        + " characters, and the column takes " + size + "; send a shorter one, such as a UUID");
            }
            if (fixed && given.endsWith(" ")) {
                throw new InvalidKeyException("the value of " + name
                        + " ends with a blank, and the column pads with blanks; send one that does not");
            }
        } else if (fixed && !text && value instanceof byte[] bytes && bytes.length != size) {
            throw new InvalidKeyException("the value of " + name + " has " + bytes.length
                    + " bytes, and the column has " + size + " of them always; send as many");
        } else if (size > 0 && value instanceof byte[] bytes && bytes.length > size) {
            throw new InvalidKeyException("the value of " + name + " has " + bytes.length
                    + " bytes, and the column takes " + size + "; send a shorter one");
        }
    }
}
