package io.oncegate.spring.tx.internal;

import java.math.BigDecimal;
import java.math.BigInteger;
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

    /**
     * The next version, of the same type.
     *
     * @throws IllegalArgumentException if there is none; the database has not been asked
     */
    public static Number next(String what, Number version) {
        try {
            if (version instanceof Long number) {
                return Math.addExact(number, 1);
            } else if (version instanceof Integer number) {
                return Math.addExact(number, 1);
            } else if (version instanceof Short number && number < Short.MAX_VALUE) {
                return (short) (number + 1);
            } else if (version instanceof BigInteger number) {
                return number.add(BigInteger.ONE);
            } else if (version instanceof BigDecimal number) {
                return number.add(BigDecimal.ONE);
            }
        } catch (ArithmeticException e) {
            throw noNext(what, version, e);
        }
        throw noNext(what, version, null);
    }

    private static IllegalArgumentException noNext(String what, Number version, @Nullable Throwable cause) {
        return new IllegalArgumentException(
                "the version of " + what + " has no next one; it is a "
                        + version.getClass().getSimpleName() + ", and has to be a Long, Integer, Short, BigInteger or"
                        + " BigDecimal below the greatest",
                cause);
    }
}
