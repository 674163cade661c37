package io.oncegate.spring.tx.internal;

import io.oncegate.core.error.InProgressException;
import io.oncegate.core.error.MismatchException;
import io.oncegate.core.error.WinnerNotReadException;
import io.oncegate.jdbc.UniqueConstraint;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Compares the row that was to be inserted with the one that is there: the guard's values byte for byte, for a collation may
 * take two requests for one, and the values that a repetition has to agree in. Immutable.
 *
 * @param <T> what a row is mapped to
 */
public final class Comparison<T> {
    private final String what;
    private final List<Field<T>> key;
    private final List<Field<T>> content;

    /**
     * Creates it.
     *
     * @param what the entity's name, for messages
     */
    public Comparison(String what, List<Field<T>> key, List<Field<T>> content) {
        this.what = what;
        this.key = List.copyOf(key);
        this.content = List.copyOf(content);
    }

    /** A null is no value to a unique constraint: it would let every repetition in. */
    void requireKey(T row) {
        for (Field<T> field : key) {
            if (field.of(row) == null) {
                throw new IllegalArgumentException(what + ": " + field.name()
                        + " is null, and a unique constraint guards no row with a null in it; give it a value");
            }
        }
    }

    void requireSame(T asked, T found) {
        for (Field<T> field : key) {
            Object one = field.of(asked);
            if (one instanceof CharSequence && !one.toString().equals(String.valueOf(field.of(found)))) {
                throw new WinnerNotReadException(
                        what + ": the row that is there has another " + field.name()
                                + ", which the column takes for the"
                                + " same (upper and lower case, accents, blanks); give the column a binary collation",
                        digest(asked));
            }
        }
        List<String> different = content.stream()
                .filter(field -> !Same.values(field.of(asked), field.of(found)))
                .map(Field::name)
                .toList();
        if (!different.isEmpty()) {
            throw new MismatchException(what, different, digest(asked));
        }
    }

    /** A wait on a lock that has run out means that another transaction is at work on the same row; else the same exception. */
    RuntimeException orInProgress(Exception failure, T row, Duration lockWait) {
        if (Troubles.lockedOut(failure)) {
            InProgressException inProgress = new InProgressException(what, lockWait, digest(row));
            inProgress.addSuppressed(failure);
            return inProgress;
        }
        return failure instanceof RuntimeException e ? e : new IllegalStateException(failure);
    }

    WinnerNotReadException hidden(T row, UniqueConstraint guard) {
        return new WinnerNotReadException(
                what + ": " + guard + " refuses the row, and the one that is there is newer than this transaction's"
                        + " snapshot, so that it cannot be read in it; use READ COMMITTED, insert before the transaction"
                        + " begins, or allow spareConnection()",
                digest(row));
    }

    WinnerNotReadException vanished(T row, UniqueConstraint guard) {
        return new WinnerNotReadException(
                what + ": " + guard + " refuses the row again and again, and no row with its values is found; see that"
                        + " the look-up goes by the columns of " + guard + ", and whether rows are deleted meanwhile",
                digest(row));
    }

    private String digest(T row) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            for (Field<T> field : key) {
                sha.update(text(field.of(row)).getBytes(StandardCharsets.UTF_8));
                sha.update((byte) 0);
            }
            return HexFormat.of().formatHex(sha.digest(), 0, 6);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static String text(@Nullable Object value) {
        return value instanceof byte[] bytes ? Arrays.toString(bytes) : Objects.toString(value);
    }
}
