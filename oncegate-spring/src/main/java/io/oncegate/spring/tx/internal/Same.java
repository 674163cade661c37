package io.oncegate.spring.tx.internal;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.temporal.Temporal;
import java.util.Date;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Whether a value that was asked for and one that came back from a database mean the same. */
final class Same {
    private static final Duration MICROSECOND = Duration.ofNanos(1000);

    private Same() {}

    /**
     * Equal; numbers by value and not by scale, arrays by content, and times to the microsecond, which is what databases keep
     * of them at best.
     */
    static boolean values(@Nullable Object asked, @Nullable Object found) {
        if (asked == null || found == null) {
            return asked == found;
        }
        if (asked instanceof BigDecimal a && found instanceof BigDecimal b) {
            return a.compareTo(b) == 0;
        }
        Temporal one = time(asked);
        Temporal other = time(found);
        if (one != null && other != null && one.getClass() == other.getClass()) {
            return Duration.between(one, other).abs().compareTo(MICROSECOND) < 0;
        }
        return Objects.deepEquals(asked, found);
    }

    private static @Nullable Temporal time(Object value) {
        if (value instanceof OffsetDateTime time) {
            return time.toInstant();
        } else if (value instanceof ZonedDateTime time) {
            return time.toInstant();
        } else if (value instanceof Date date
                && !(value instanceof java.sql.Date)
                && !(value instanceof java.sql.Time)) {
            return date.toInstant();
        }
        return value instanceof Instant || value instanceof LocalDateTime || value instanceof LocalTime
                ? (Temporal) value
                : null;
    }
}
