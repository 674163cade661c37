package io.oncegate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class PatienceTest {

    @Test
    void theBrokenOneIsAskedWithoutPatienceAndFailsAsItDoes() throws Exception {
        AtomicBoolean broken = new AtomicBoolean();
        Callable<?> answer = Patience.unless(broken::get, Callable.class, () -> "answer", () -> {
            throw new IOException("no answer");
        });
        assertThat(answer.call()).isEqualTo("answer");
        broken.set(true);
        assertThatThrownBy(answer::call).isInstanceOf(IOException.class).hasMessage("no answer");
    }
}
