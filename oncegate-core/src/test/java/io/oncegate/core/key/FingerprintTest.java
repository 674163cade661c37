package io.oncegate.core.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.InvalidJsonException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FingerprintTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"a\":1,\"b\":{\"c\":2,\"d\":3}}|{ \"b\" : {\"d\":3,\"c\":2} ,\"a\":1}",
                "[10]|[10.0]",
                "[10]|[10.00]",
                "[10]|[1e1]",
                "[10]|[1E+1]",
                "[0.1]|[1e-1]",
                "[0]|[-0]",
                "[0]|[0.00e5]",
                "[\"\\u00e9\"]|[\"é\"]",
                "[\"a\\/b\"]|[\"a/b\"]",
                "[1,2]|[1,\t2 ]",
                "{}|{ }",
                "[]|[ ]",
            })
    @DisplayName("C87: order of members, white space, escapes and the form of numbers do not count")
    void equalMeaningsAreEqual(String one, String other) {
        assertThat(Fingerprint.ofJson(one)).isEqualTo(Fingerprint.ofJson(other));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "[9007199254740992]|[9007199254740993]",
                "[0.1]|[0.10000000000000001]",
                "[1e400]|[1e401]",
                "[1e999999999999]|[1e999999999998]",
                "[1,2]|[2,1]",
                "{\"a\":null}|{}",
                "{\"a\":\"1\"}|{\"a\":1}",
                "{\"a\":false}|{\"a\":null}",
                "{\"a\":\"\"}|{\"a\":null}",
                "[\"\\ud800\"]|[\"\\ud801\"]",
                "[\"\\ud800\"]|[\"\\\\ud800\"]",
                "[[]]|[{}]",
                "[1]|[-1]",
            })
    @DisplayName("C87: large numbers, array order, null against missing and types do count")
    void differentMeaningsDiffer(String one, String other) {
        assertThat(Fingerprint.ofJson(one).differences(Fingerprint.ofJson(other)))
                .containsExactly("payload");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "[1,]",
                "{\"a\":1,}",
                "{a:1}",
                "01",
                "1.",
                ".5",
                "+1",
                "1e",
                "nul",
                "tru",
                "\"a",
                "\"\u0001\"",
                "\"\\x\"",
                "\"\\u12g4\"",
                "[1] 2",
                "{\"a\":1,\"a\":1}",
                "NaN",
                "-",
                "'a'",
                "1e9999999999999999999",
                "\u00a01"
            })
    void refusesWhatIsNoJson(String text) {
        assertThatThrownBy(() -> Fingerprint.ofJson(text)).isInstanceOf(InvalidJsonException.class);
    }

    @Test
    void deepOrHugeJsonEndsInAnAnswerAndNotInAnOverflow() {
        assertThatThrownBy(() -> Fingerprint.ofJson("[".repeat(100_000))).isInstanceOf(InvalidJsonException.class);
        Fingerprint.ofJson("[" + "9".repeat(1_000_000) + "]");
    }

    @Test
    void randomTextNeverEndsInAnotherException() {
        Random random = new Random(7);
        String alphabet = "{}[]\",:\\u0123456789eE+-.truefalsn \n\ud800é";
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(12); n >= 0; n--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            try {
                assertThat(Fingerprint.ofJson(text.toString())).isEqualTo(Fingerprint.ofJson(" " + text));
            } catch (InvalidJsonException expected) {
                assertThat(expected).hasMessageContaining("JSON");
            }
        }
    }

    @Test
    @DisplayName("C50: chosen fields make a stable fingerprint; what is not chosen does not count")
    void chosenFieldsAreNamedByTheirPointers() {
        Fingerprint first = fields("{\"amount\":10,\"note\":\"a\",\"items\":[{\"id\":1}]}");
        assertThat(first).isEqualTo(fields("{\"items\":[{\"id\":1.0}],\"note\":\"b\",\"amount\":10.0}"));
        assertThat(first.differences(fields("{\"amount\":99,\"items\":[{\"id\":2}]}")))
                .containsExactly("/amount", "/items/0/id");
        assertThat(fields("{\"amount\":null}").differences(fields("{}"))).containsExactly("/amount");
    }

    private static Fingerprint fields(String json) {
        return Fingerprint.builder().jsonFields(json, "/amount", "/items/0/id").build();
    }

    @Test
    void pointersReadEscapesAndRefuseNonsense() {
        assertThat(Fingerprint.builder()
                        .jsonFields("{\"a/b\":{\"~\":1}}", "/a~1b/~0")
                        .build())
                .isNotEqualTo(Fingerprint.builder().jsonFields("{}", "/a~1b/~0").build());
        assertThatThrownBy(() -> Fingerprint.builder().jsonFields("{}", "amount"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("G5: a mismatch names the parts that differ")
    void namesTheParts() {
        Fingerprint one = Fingerprint.builder()
                .text("method", "POST")
                .text("path", "/a")
                .json("body", "{}")
                .build();
        Fingerprint other = Fingerprint.builder()
                .text("method", "POST")
                .text("path", "/b")
                .json("body", "[]")
                .build();
        assertThat(one.differences(other)).containsExactly("body", "path");
        assertThat(one.differences(Fingerprint.builder().text("method", "POST").build()))
                .containsExactly("body", "path");
    }

    @Test
    @DisplayName("C89: old and new instances compare by the version that both know, in both directions")
    void comparesByTheHighestCommonVersion() {
        Fingerprint v1 = Fingerprint.builder().version(1).text("amount", "10").build();
        Fingerprint v2 = Fingerprint.builder()
                .version(2)
                .text("amount", "10")
                .text("currency", "EUR")
                .build();
        Fingerprint both = v2.alsoKnownAs(v1);
        assertThat(both.matches(v1)).isTrue();
        assertThat(v1.matches(both)).isTrue();
        assertThat(both.matches(v2)).isTrue();
        Fingerprint dearer = Fingerprint.builder()
                .version(2)
                .text("amount", "99")
                .text("currency", "EUR")
                .build()
                .alsoKnownAs(
                        Fingerprint.builder().version(1).text("amount", "99").build());
        assertThat(dearer.differences(v1)).containsExactly("amount");
        assertThat(v1.differences(dearer)).containsExactly("amount");
        Fingerprint otherCurrency = Fingerprint.builder()
                .version(2)
                .text("amount", "10")
                .text("currency", "USD")
                .build()
                .alsoKnownAs(v1);
        assertThat(otherCurrency.differences(both)).containsExactly("currency");
        assertThat(v1.differences(v2)).containsExactly(Fingerprint.VERSION);
    }

    @Test
    void survivesItsStoredForm() {
        Fingerprint fingerprint = Fingerprint.builder()
                .version(3)
                .text("é", "x")
                .bytes("b", new byte[] {0, -1})
                .build()
                .alsoKnownAs(Fingerprint.none());
        assertThat(Fingerprint.fromBytes(fingerprint.toBytes())).isEqualTo(fingerprint);
    }

    @Test
    @DisplayName("C89: a stored form of a later toolkit is kept as it is and matches only itself")
    void keepsWhatItCannotRead() {
        Fingerprint fingerprint = Fingerprint.of("x");
        byte[] cut = Arrays.copyOf(fingerprint.toBytes(), 20);
        for (byte[] unreadable : List.of(new byte[] {9, 1, 2}, new byte[0], cut)) {
            Fingerprint kept = Fingerprint.fromBytes(unreadable);
            assertThat(kept.toBytes()).containsExactly(unreadable);
            assertThat(kept.matches(Fingerprint.fromBytes(unreadable))).isTrue();
            assertThat(fingerprint.differences(kept)).containsExactly(Fingerprint.VERSION);
            assertThat(kept.differences(fingerprint)).containsExactly(Fingerprint.VERSION);
        }
    }

    @Test
    void isBounded() {
        Fingerprint.Builder builder = Fingerprint.builder();
        for (int i = 0; i < Fingerprint.MAX_PARTS; i++) {
            builder.text("p" + i, "x");
        }
        assertThatThrownBy(() -> builder.text("more", "x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Fingerprint.builder().text("p", "x").text("p", "y"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Fingerprint.builder().text("", "x")).isInstanceOf(IllegalArgumentException.class);
    }
}
