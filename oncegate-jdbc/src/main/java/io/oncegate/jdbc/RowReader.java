package io.oncegate.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Reads the row on which a result set stands.
 *
 * @param <T> what a row is read as
 */
@FunctionalInterface
public interface RowReader<T> {
    /** Reads the present row; does not move or close the result set. */
    T read(ResultSet row) throws SQLException;
}
