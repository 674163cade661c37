package io.oncegate.spring.client;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the header {@code Retry-After} (RFC 9110, section 10.2.3): whole seconds, or a date in one of the three forms of
 * section 5.6.7. Never throws, whatever it is given, and never gives a negative time.
 */
final class RetryAfter {
    /** What a number beyond it counts as: 31 years are for ever. */
    static final Duration LONGEST = Duration.ofSeconds(999_999_999);

    private static final int LONGEST_DIGITS = 9;
    private static final int LONGEST_VALUE = 64;
    private static final List<DateTimeFormatter> DATES = List.of(
            DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.US)
                    .withResolverStyle(ResolverStyle.STRICT),
            DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss uuuu", Locale.US)
                    .withResolverStyle(ResolverStyle.STRICT));

    private RetryAfter() {}

    /** How long from now; empty where the value is missing or says nothing. A date that has passed says now. */
    static Optional<Duration> parse(@Nullable String value, Instant now) {
        if (value == null || value.length() > LONGEST_VALUE) {
            return value != null && isNumber(value.trim()) ? Optional.of(LONGEST) : Optional.empty();
        }
        String text = value.trim();
        return isNumber(text) ? Optional.of(seconds(text)) : date(text, now).map(then -> until(then, now));
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static Duration seconds(String digits) {
        int from = 0;
        while (from < digits.length() - 1 && digits.charAt(from) == '0') {
            from++;
        }
        return digits.length() - from > LONGEST_DIGITS
                ? LONGEST
                : Duration.ofSeconds(Long.parseLong(digits.substring(from)));
    }

    private static Optional<Instant> date(String text, Instant now) {
        for (DateTimeFormatter format : DATES) {
            Optional<Instant> date = date(text, format);
            if (date.isPresent()) {
                return date;
            }
        }
        return date(text, twoDigitYears(now));
    }

    private static Optional<Instant> date(String text, DateTimeFormatter format) {
        try {
            return Optional.of(LocalDateTime.parse(text, format).toInstant(ZoneOffset.UTC));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** A year of two digits that seems to lie more than 50 years ahead is one of the past. */
    private static DateTimeFormatter twoDigitYears(Instant now) {
        return new DateTimeFormatterBuilder()
                .appendPattern("EEEE, dd-MMM-")
                .appendValueReduced(
                        ChronoField.YEAR, 2, 2, now.atOffset(ZoneOffset.UTC).getYear() - 49)
                .appendPattern(" HH:mm:ss 'GMT'")
                .toFormatter(Locale.US)
                .withResolverStyle(ResolverStyle.STRICT);
    }

    private static Duration until(Instant then, Instant now) {
        Duration wait = Duration.between(now, then);
        return wait.isNegative() ? Duration.ZERO : wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
    }
}
