package io.oncegate.shop.order;

import java.security.SecureRandom;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * Makes order numbers: the day, then 60 random bits, so that nobody counts the shop's orders. Should two ever be equal, the
 * unique index refuses the second. Thread-safe.
 */
final class OrderNumbers {
    private static final char[] CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".toCharArray();
    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ofPattern("yyyyMMdd").withZone(ZoneOffset.UTC);

    private final SecureRandom random = new SecureRandom();

    String next(Instant at) {
        long bits = random.nextLong();
        StringBuilder number = new StringBuilder(DAY.format(at)).append('-');
        for (int i = 0; i < 12; i++, bits >>>= 5) {
            number.append(CROCKFORD[(int) (bits & 31)]);
        }
        return number.toString();
    }
}
