package io.oncegate.spring.tx.internal;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** What comes after a version. */
public final class Versions {
    private Versions() {}

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
