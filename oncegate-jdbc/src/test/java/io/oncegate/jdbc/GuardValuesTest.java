package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.InvalidKeyException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GuardValuesTest {
    private static void require(String text) {
        GuardValues.require(List.of("name"), Map.of("name", text));
    }

    @ParameterizedTest
    @CsvSource({"a, 1", "\u00e9, 2", "\u20ac, 3", "\ud83d\ude00, 4"})
    void aKeyIsMeasuredInBytesOfUtf8(String character, int bytes) {
        int most = GuardValues.MAX_BYTES / bytes;
        assertThatCode(() -> require(character.repeat(most))).doesNotThrowAnyException();
        assertThatThrownBy(() -> require(character.repeat(most + 1)))
                .isInstanceOf(InvalidKeyException.class)
                .hasMessageContaining("bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\ud83d", "\ude00a", "\ude00\ud83d", "\ud83da\ude00", "\ud83d\ud83d\ude00", "a\0"})
    void aTextThatIsNoUnicodeIsRefused(String text) {
        assertThatThrownBy(() -> require(text))
                .isInstanceOf(InvalidKeyException.class)
                .hasMessageContaining("not valid Unicode");
    }
}
