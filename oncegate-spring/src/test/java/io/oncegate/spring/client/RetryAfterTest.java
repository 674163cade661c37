package io.oncegate.spring.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {
    private static final Instant NOW = Instant.parse("2026-11-29T12:00:00Z");
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.US);

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1, 1",
        "120, 120",
        "' 7 ', 7",
        "0000000000000000000000000000005, 5",
        "999999999, 999999999",
        "1000000000, 999999999",
        "99999999999999999999999999, 999999999",
        "'Sun, 29 Nov 2026 12:00:30 GMT', 30",
        "'Sunday, 29-Nov-26 12:00:30 GMT', 30",
        "'Sun Nov 29 12:00:30 2026', 30",
        "'Tue Dec  1 12:00:00 2026', 172800",
        "'Sun, 29 Nov 2026 11:59:59 GMT', 0",
        "'Thu, 01 Jan 1970 00:00:00 GMT', 0",
        "'Friday, 31-Dec-99 23:59:59 GMT', 0",
        "'Fri, 31 Dec 9999 23:59:59 GMT', 999999999",
    })
    void readsSecondsAndTheThreeFormsOfADate(String value, long seconds) {
        assertThat(RetryAfter.parse(value, NOW)).contains(Duration.ofSeconds(seconds));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                " ",
                "-1",
                "+1",
                "1.5",
                "1e3",
                "0x10",
                "soon",
                "1 2",
                "1,2",
                "١٢",
                "Sun, 29 Nov 2026",
                "NaN",
                "Mon, 29 Nov 2026 12:00:30 GMT",
                "Sun, 31 Feb 2027 12:00:30 GMT",
                "\u0000",
                "\uD800"
            })
    void whatSaysNothingIsNothing(String value) {
        assertThat(RetryAfter.parse(value, NOW)).isEmpty();
    }

    @Test
    void aLongNumberIsForEverAndALongTextIsNothing() {
        assertThat(RetryAfter.parse("9".repeat(100_000), NOW)).contains(RetryAfter.LONGEST);
        assertThat(RetryAfter.parse("x".repeat(100_000), NOW)).isEmpty();
    }

    @Test
    void everyWholeSecondComesBackAsItWasWritten() {
        Random random = new Random(8);
        for (int i = 0; i < 500; i++) {
            long seconds = random.nextInt(999_999_999);
            assertThat(RetryAfter.parse(Long.toString(seconds), NOW)).contains(Duration.ofSeconds(seconds));
            Instant then = NOW.plusSeconds(seconds);
            assertThat(RetryAfter.parse(DATE.format(then.atOffset(ZoneOffset.UTC)), NOW))
                    .contains(Duration.ofSeconds(seconds));
        }
    }

    @Test
    void neverThrowsAndNeverGivesANegativeOrEndlessTime() {
        Random random = new Random(9);
        String alphabet = "0123456789-+.,: GMTSunNovDec/ \"\\;=\t";
        for (int i = 0; i < 3_000; i++) {
            StringBuilder text = new StringBuilder(random.nextBoolean() ? "Sun, 29 Nov 2026 12:00:30 GMT" : "");
            for (int change = random.nextInt(6); change >= 0; change--) {
                char c = random.nextInt(10) == 0
                        ? (char) random.nextInt(0x10000)
                        : alphabet.charAt(random.nextInt(alphabet.length()));
                int at = random.nextInt(text.length() + 1);
                if (at < text.length() && random.nextBoolean()) {
                    text.setCharAt(at, c);
                } else {
                    text.insert(at, c);
                }
            }
            Optional<Duration> wait = RetryAfter.parse(text.toString(), NOW);
            assertThat(wait.orElse(Duration.ZERO)).isBetween(Duration.ZERO, RetryAfter.LONGEST);
        }
    }
}
