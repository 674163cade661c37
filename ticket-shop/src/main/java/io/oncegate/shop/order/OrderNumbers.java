package io.oncegate.shop.order;

import java.security.SecureRandom;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;

/**
 * Makes order numbers: the day, then 60 random bits, so that nobody counts the shop's orders. Should two ever be equal, the
 * unique index refuses the second. Thread-safe.
 */
final class OrderNumbers {
    private static final char[] CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".toCharArray();
    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ofPattern("yyyyMMdd").withZone(ZoneOffset.UTC);

    private static final Pattern NUMBER = Pattern.compile("[0-9]{8}-[0-9A-Z]{12}");

    private final SecureRandom random = new SecureRandom();

    /** Whether an order may have this number: what is no such text is not asked for, whatever the database makes of it. */
    static boolean isOne(String text) {
        return NUMBER.matcher(text).matches();
    }

    String next(Instant at) {
        long bits = random.nextLong();
        StringBuilder number = new StringBuilder(DAY.format(at)).append('-');
        for (int i = 0; i < 12; i++, bits >>>= 5) {
            number.append(CROCKFORD[(int) (bits & 31)]);
        }
        return number.toString();
    }
}
