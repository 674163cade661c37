package io.oncegate.spring.tx.internal;

import org.jspecify.annotations.Nullable;

/** What is said of versions that are none. */
public final class Versions {
    private Versions() {}

    /**
     * The version, if it is one to update from.
     *
     * @throws IllegalArgumentException if it is null or negative; the database has not been asked
     */
    public static long require(String what, @Nullable Object version) {
        if (!(version instanceof Number number) || number.longValue() < 0) {
            throw new IllegalArgumentException(
                    "the version of " + what + " is 0 or more, and not "
                            + (version == null ? "null" : version instanceof Number ? "negative" : "no number")
                            + "; an update without a version would guard nothing: read the row first, or insert it as a new one");
        }
        return number.longValue();
    }
}
