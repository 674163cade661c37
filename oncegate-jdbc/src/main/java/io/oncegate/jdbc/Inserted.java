package io.oncegate.jdbc;

/**
 * What insert-first found: the row as the database has it, and who inserted it.
 *
 * @param row the row of the guarding constraint's values, whoever inserted it
 * @param first true if this call inserted it; false if it was there
 * @param <T> what a row is read as
 */
public record Inserted<T>(T row, boolean first) {}
