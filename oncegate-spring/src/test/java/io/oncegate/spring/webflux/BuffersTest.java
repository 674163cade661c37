package io.oncegate.spring.webflux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.spring.http.BufferedBody;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BuffersTest {
    private final Buffers buffers = new Buffers();
    private final BufferedBody body = buffers.create(100);

    @Test
    @DisplayName(
            "C05: a client that goes while the handlers begin finds that they have begun: its token is not given back")
    void handlersThatHaveBegunAreKnownToHaveBegun() throws Exception {
        assertThat(buffers.run()).isTrue();
        assertThat(buffers.answered()).isTrue();
        buffers.write(body, new byte[1]);
        buffers.ran();
        assertThatThrownBy(() -> buffers.write(body, new byte[1])).isInstanceOf(IOException.class);
    }

    @Test
    void handlersDoNotBeginForAClientThatHasGone() {
        assertThat(buffers.answered()).isFalse();
        assertThat(buffers.run()).isFalse();
        assertThatThrownBy(() -> buffers.write(body, new byte[1])).isInstanceOf(IOException.class);
    }

    @Test
    void handlersThatHaveEndedHadBegun() {
        assertThat(buffers.run()).isTrue();
        buffers.ran();
        assertThat(buffers.answered()).isTrue();
    }
}
