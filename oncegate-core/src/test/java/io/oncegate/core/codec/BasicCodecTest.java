package io.oncegate.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BasicCodecTest {
    private enum Colour {
        RED,
        BLUE
    }

    private final BasicCodec codec = new BasicCodec();

    @Test
    @DisplayName("C48, C95: falsy and exact values come back equal and of their type")
    void valuesComeBack() {
        for (Object value : List.of(
                "",
                "🎫 ",
                0,
                0L,
                false,
                true,
                (short) -1,
                (byte) 0,
                0.1f,
                -0.0,
                Double.NaN,
                new BigDecimal("1.10"),
                UUID.randomUUID(),
                Instant.parse("2026-01-01T00:00:00.123456789Z"),
                Duration.ofNanos(1),
                Colour.BLUE)) {
            assertThat(codec.supports(value.getClass())).isTrue();
            assertThat(codec.decode(codec.encode(value, value.getClass()), value.getClass()))
                    .isEqualTo(value);
        }
        byte[] binary = {0, -1, 127};
        assertThat((byte[]) codec.decode(codec.encode(binary, byte[].class), byte[].class))
                .containsExactly(binary);
        assertThat((byte[]) codec.decode(codec.encode(new byte[0], byte[].class), byte[].class))
                .isEmpty();
    }

    @Test
    void refusesWhatItCannotKeepExactly() {
        assertThat(codec.supports(List.class)).isFalse();
        assertThatThrownBy(() -> codec.encode("\ud800", String.class)).isInstanceOf(ResultCodecException.class);
        assertThatThrownBy(() -> codec.encode(1, String.class)).isInstanceOf(ResultCodecException.class);
        assertThatThrownBy(() -> codec.decode("GREEN".getBytes(StandardCharsets.UTF_8), Colour.class))
                .isInstanceOf(ResultCodecException.class);
        assertThatThrownBy(() -> codec.decode("x".getBytes(StandardCharsets.UTF_8), Integer.class))
                .isInstanceOf(ResultCodecException.class);
        assertThatThrownBy(() -> codec.decode("yes".getBytes(StandardCharsets.UTF_8), Boolean.class))
                .isInstanceOf(ResultCodecException.class);
    }
}
