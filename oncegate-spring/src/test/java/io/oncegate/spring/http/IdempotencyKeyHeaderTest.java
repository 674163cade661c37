package io.oncegate.spring.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IdempotencyKeyHeaderTest {
    private final IdempotencyKeyHeader lenient = IdempotencyKeyHeader.lenient();
    private final IdempotencyKeyHeader strict = IdempotencyKeyHeader.strict();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "\"abc\"|abc",
                "\"a b\"|a b",
                "\"a\\\"b\\\\c\"|a\"b\\c",
                "\"8e03978e-40d5-43dd-bc93-6894a57f9324\"|8e03978e-40d5-43dd-bc93-6894a57f9324",
                "\"a\";x|a",
                "\"a\"; x=1;y=?1;z=\"q;\\\"\";t=tok/en;b=:AQ==:;d=-1.5|a",
                "\"a;b,c\"|a;b,c"
            })
    void readsStrings(String header, String key) {
        assertThat(strict.read(List.of(header))).isEqualTo(new KeyReading.Found(key));
        assertThat(lenient.read(List.of(header))).isEqualTo(new KeyReading.Found(key));
        assertThat(strict.read(List.of("  " + header + "\t "))).isEqualTo(new KeyReading.Found(key));
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc", "8e03978e-40d5-43dd-bc93-6894a57f9324", "YWJj+/==", "urn:x:1", "1"})
    void readsBareTokensUnlessStrict(String header) {
        assertThat(lenient.read(List.of(header))).isEqualTo(new KeyReading.Found(header));
        assertThat(strict.read(List.of(header))).isInstanceOf(KeyReading.Invalid.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "\"\"",
                "\"  \"",
                "\"abc",
                "\"a\"b",
                "\"a\" b",
                "\"a\\\"",
                "\"a\\n\"",
                "\"a\u00e9\"",
                "\u00e9",
                "\"a\tb\"",
                "\"a\u007f\"",
                "a b",
                "a,b",
                "\"a\",\"b\"",
                "\"a\";",
                "\"a\";X=1",
                "\"a\";x=",
                "\"a\";x=\"",
                "a;b",
                "a\"",
                "a\\b",
                "\"a\";x=:;",
                "\"",
                "\\",
                "?1\u0000"
            })
    void refusesEverythingElseAndSaysWhatToDo(String header) {
        for (IdempotencyKeyHeader reader : List.of(lenient, strict)) {
            assertThat(reader.read(List.of(header)))
                    .isInstanceOfSatisfying(
                            KeyReading.Invalid.class,
                            invalid -> assertThat(invalid.detail())
                                    .startsWith("The header Idempotency-Key ")
                                    .contains(";")
                                    .endsWith(".")
                                    .doesNotContain("\u00e9"));
        }
    }

    @Test
    void missingAndRepeated() {
        assertThat(lenient.read(List.of())).isEqualTo(new KeyReading.Missing());
        assertThat(lenient.read(List.of("a", "a"))).isInstanceOf(KeyReading.Invalid.class);
        assertThat(lenient.read(Collections.nCopies(1000, "\"a\""))).isInstanceOf(KeyReading.Invalid.class);
        List<String> absent = new ArrayList<>();
        absent.add(null);
        assertThat(lenient.read(absent)).isInstanceOf(KeyReading.Invalid.class);
    }

    @Test
    void theLimitCountsTheKeysCharacters() {
        assertThat(strict.read(List.of("\"" + "\\\"".repeat(255) + "\""))).isInstanceOf(KeyReading.Found.class);
        assertThat(strict.read(List.of("\"" + "a".repeat(256) + "\""))).isInstanceOf(KeyReading.Invalid.class);
        assertThat(lenient.read(List.of("a".repeat(1_000_000)))).isInstanceOf(KeyReading.Invalid.class);
        assertThat(lenient.maxLength(3).read(List.of("abcd"))).isInstanceOf(KeyReading.Invalid.class);
        assertThatThrownBy(() -> lenient.maxLength(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> lenient.named("a b")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aKeyIsNotShown() {
        assertThat(lenient.read(List.of("secret-key")).toString()).doesNotContain("secret");
    }

    /** Header torture: whatever comes, there is an answer, and a key that is found is printable and within its limit. */
    @Test
    void survivesWhateverIsSent() {
        String structured = "\"\"\"\"\\\\;;=?:*, \t-.09azAZ\u0000\u007f\u00e9\ud83d\ude00";
        for (int seed = 0; seed < 40_000; seed++) {
            Random random = new Random(seed);
            int length = seed < 30_000 ? random.nextInt(24) : random.nextInt(10_000);
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < length; i++) {
                text.append(
                        seed % 3 == 0
                                ? (char) random.nextInt(0x10000)
                                : structured.charAt(random.nextInt(structured.length())));
            }
            String value = seed % 2 == 0 ? "\"" + text : text.toString();
            for (IdempotencyKeyHeader reader : List.of(lenient, strict)) {
                if (reader.read(List.of(value)) instanceof KeyReading.Found found) {
                    assertThat(found.value())
                            .as("seed %s", seed)
                            .matches("[ -~]{1,255}")
                            .isNotBlank();
                }
            }
        }
    }
}
