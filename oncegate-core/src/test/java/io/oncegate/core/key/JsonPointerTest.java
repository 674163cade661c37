package io.oncegate.core.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.InvalidJsonException;
import io.oncegate.core.error.InvalidKeyException;
import org.junit.jupiter.api.Test;

class JsonPointerTest {
    private static final JsonPointer ID = JsonPointer.of("/head/id");

    @Test
    void readsTextsOnly() {
        assertThat(ID.text("{\"head\":{\"id\":\"k\\u0031\"}}")).contains("k1");
        for (String missing : new String[] {"{}", "{\"head\":{}}", "{\"head\":\"id\"}", "[]", "1"}) {
            assertThat(ID.text(missing)).as(missing).isEmpty();
        }
        for (String other : new String[] {"1", "null", "true", "{}", "[\"a\"]"}) {
            assertThatThrownBy(() -> ID.text("{\"head\":{\"id\":" + other + "}}"))
                    .isInstanceOf(InvalidKeyException.class);
        }
    }

    @Test
    void refusesWhatIsNotJson() {
        for (String json : new String[] {"", "{", "{\"head\":{\"id\":\"a\",\"id\":\"b\"}}"}) {
            assertThatThrownBy(() -> ID.text(json)).isInstanceOf(InvalidJsonException.class);
        }
        assertThatThrownBy(() -> JsonPointer.of("id")).isInstanceOf(IllegalArgumentException.class);
    }
}
