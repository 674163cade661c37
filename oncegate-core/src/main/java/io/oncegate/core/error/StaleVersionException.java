package io.oncegate.core.error;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A versioned update was refused because the row has another version by now, or is gone. The refused rows were not written;
 * others of the same batch may have been. Read again in a fresh transaction and decide anew; in this one, go back or roll back.
 */
public final class StaleVersionException extends OncegateException {
    private static final long serialVersionUID = 1L;

    /**
     * One refused row.
     *
     * @param position where it stood in the batch, from 0; 0 for a single update
     * @param expected the version that the caller had read
     * @param found the version that is there, or null if there is no such row or nobody knows
     * @param gone whether it is certain that there is no such row
     */
    public record Row(int position, long expected, @Nullable Long found, boolean gone) {}

    @SuppressWarnings("serial") // always List.copyOf, which is serializable
    private final List<Row> rows;

    private StaleVersionException(String what, List<Row> rows, @Nullable Throwable cause) {
        super(message(what, rows), null, cause);
        this.rows = List.copyOf(rows);
    }

    /**
     * The row has another version.
     *
     * @param what the table or entity, never its key
     */
    public static StaleVersionException stale(String what, long expected, long found) {
        return new StaleVersionException(what, List.of(new Row(0, expected, found, false)), null);
    }

    /** There is no such row. */
    public static StaleVersionException gone(String what, long expected) {
        return new StaleVersionException(what, List.of(new Row(0, expected, null, true)), null);
    }

    /** The row has another version or is gone; which of the two was not to be found out. */
    public static StaleVersionException staleOrGone(String what, long expected, @Nullable Throwable cause) {
        return new StaleVersionException(what, List.of(new Row(0, expected, null, false)), cause);
    }

    /**
     * Rows of a batch.
     *
     * @param rows the refused ones, one or more
     */
    public static StaleVersionException ofBatch(String what, List<Row> rows) {
        if (rows.isEmpty()) {
            throw new IllegalArgumentException("a batch without refused rows is no conflict");
        }
        return new StaleVersionException(what, rows, null);
    }

    private static String message(String what, List<Row> rows) {
        String refused = rows.stream()
                .limit(10)
                .map(row -> (rows.size() == 1 && row.position() == 0 ? "" : "row " + row.position() + " of the batch ")
                        + words(row))
                .collect(Collectors.joining("; "));
        String more = rows.size() > 10 ? "; and " + (rows.size() - 10) + " more" : "";
        return what + ": " + refused + more + "; roll back, read again in a fresh transaction and decide anew";
    }

    private static String words(Row row) {
        if (row.gone()) {
            return "was expected at version " + row.expected() + " and is gone";
        }
        return "was expected at version " + row.expected()
                + (row.found() == null ? " and is newer or gone" : " and is at version " + row.found());
    }

    /** The refused rows, in the order of the batch. */
    public List<Row> rows() {
        return rows;
    }

    /** Whether there is certainly no such row any more, for one or more of them: reading again will not bring it back. */
    public boolean gone() {
        return rows.stream().anyMatch(Row::gone);
    }
}
