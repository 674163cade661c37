package io.oncegate.core.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryLockStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LeasedLocksTest {
    private final LockStore store = new MemoryLockStore();

    @Test
    void oneAtATimeInTwoProcesses() {
        OperationKey key = OperationKey.of("count", Scope.global(), "1");
        int[] counter = new int[1];
        try (Locks here = LeasedLocks.of(store);
                Locks there = LeasedLocks.of(store)) {
            List<CompletableFuture<Void>> all = IntStream.range(0, 8)
                    .mapToObj(i -> CompletableFuture.runAsync(
                            () -> {
                                for (int round = 0; round < 300; round++) {
                                    try (HeldLock lock = (i % 2 == 0 ? here : there)
                                            .acquire(key, LockOptions.untilDone(), Duration.ofSeconds(60))
                                            .orElseThrow()) {
                                        assertThat(lock.isHeld()).isTrue();
                                        counter[0]++;
                                    } catch (InterruptedException e) {
                                        throw new IllegalStateException(e);
                                    }
                                }
                            },
                            task -> new Thread(task).start()))
                    .toList();
            all.forEach(CompletableFuture::join);
        }
        assertThat(counter[0]).isEqualTo(2400);
    }
}
