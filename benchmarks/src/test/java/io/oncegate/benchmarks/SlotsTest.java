package io.oncegate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SlotsTest {
    /** Counts, and fails where its bodies run outside its slots. */
    private static final class Watched implements Side {
        final AtomicInteger slots = new AtomicInteger();
        private volatile boolean open;

        @Override
        public Body of(int thread) {
            return () -> {
                if (!open) {
                    throw new IllegalStateException("outside its slot");
                }
            };
        }

        @Override
        public void begin() {
            if (open) {
                throw new IllegalStateException("its slot before has not ended");
            }
            slots.incrementAndGet();
            open = true;
        }

        @Override
        public void end() {
            open = false;
        }
    }

    @Test
    void aSideIsToldOfEachOfItsSlotsAndRunsInNoOther() throws Exception {
        Watched bare = new Watched();
        Watched guarded = new Watched();
        Plan plan = Plan.quick();
        Measured measured = Slots.run(Row.of("path", 2, bare, guarded), plan, null);
        assertThat(measured.guardedCount()).isPositive();
        assertThat(bare.open || guarded.open).isFalse();
        assertThat(bare.slots).hasValue(plan.warmUp() + plan.pairs());
        assertThat(guarded.slots).hasValue(plan.warmUp() + plan.pairs());
    }
}
