package io.oncegate.benchmarks;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import java.util.List;
import java.util.stream.IntStream;

/** Some names that one thread takes in turn, so that no lock is always the last one's. Used by one thread. */
final class Cycle {
    private static final int SIZE = 256;

    private final List<OperationKey> keys;
    private int next;

    Cycle(int thread) {
        keys = IntStream.range(0, SIZE)
                .mapToObj(i -> OperationKey.of("flash.order", Scope.of("user-" + thread), "session-" + i))
                .toList();
    }

    /** The next key. */
    OperationKey key() {
        return keys.get(next++ % SIZE);
    }

    /** The next name: what a peer is given, of the same length for all of them. */
    String name() {
        return key().id().toString();
    }
}
