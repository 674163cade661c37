package io.oncegate.spring.client;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What an answer means: the caller's body, or that the request is sent again after a wait. */
record Decision<T>(@Nullable T body, Optional<Duration> pause) {
    static <T> Decision<T> answer(@Nullable T body) {
        return new Decision<>(body, Optional.empty());
    }

    static <T> Decision<T> again(Duration wait) {
        return new Decision<>(null, Optional.of(wait));
    }
}
