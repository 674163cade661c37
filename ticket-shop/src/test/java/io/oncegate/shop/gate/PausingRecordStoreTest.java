package io.oncegate.shop.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A Redis that does not answer is waited for once, and asked again by one caller at a time. */
class PausingRecordStoreTest {
    private static final ClaimRef CLAIM =
            new ClaimRef(OperationKey.of("a", Scope.global(), "k").id(), 1, AttemptId.random());

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);
    private final Answering inner = new Answering();
    private final RecordStore store = new PausingRecordStore(inner, clock::get);

    private static final class Answering implements RecordStore {
        private boolean down;
        private int asked;
        private Runnable meanwhile = () -> {};

        @Override
        public String name() {
            return "redis";
        }

        @Override
        public ClaimAnswer claim(ClaimRequest request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public HolderAnswer renew(ClaimRef claim, Duration lease) {
            return release(claim);
        }

        @Override
        public HolderAnswer settle(ClaimRef claim, Settlement settlement) {
            return release(claim);
        }

        @Override
        public HolderAnswer release(ClaimRef claim) {
            asked++;
            meanwhile.run();
            if (down) {
                throw new StoreUnavailableException("redis", "no answer", null);
            }
            return HolderAnswer.DONE;
        }
    }

    @AfterEach
    void uninterrupted() {
        assertThat(Thread.interrupted()).isFalse();
    }

    private void fails() {
        assertThatThrownBy(() -> store.release(CLAIM)).isInstanceOf(StoreUnavailableException.class);
    }

    private void answers() {
        assertThat(store.release(CLAIM)).isEqualTo(HolderAnswer.DONE);
    }

    private void aPauseGoesBy() {
        clock.addAndGet(PausingRecordStore.PAUSE.toNanos());
    }

    @Test
    void afterTwoFailuresItIsLeftAloneAndThenTriedOnce() {
        inner.down = true;
        fails();
        fails();
        fails();
        fails();
        assertThat(inner.asked).isEqualTo(2);

        aPauseGoesBy();
        fails();
        fails();
        assertThat(inner.asked).isEqualTo(3);
    }

    @Test
    void whileOneCallerTriesItTheOthersDoNotWaitForItToo() {
        inner.down = true;
        fails();
        fails();
        aPauseGoesBy();
        inner.meanwhile = () -> {
            inner.meanwhile = () -> {};
            fails();
        };
        fails();
        assertThat(inner.asked).isEqualTo(3);
    }

    @Test
    void itIsUsedAgainOnceItHasAnswered() {
        inner.down = true;
        fails();
        fails();
        inner.down = false;
        fails();
        aPauseGoesBy();
        answers();
        answers();
        assertThat(inner.asked).isEqualTo(4);
    }

    @Test
    void oneLostReplyIsNoReasonToLeaveItAlone() {
        for (int times = 0; times < 3; times++) {
            inner.down = true;
            fails();
            inner.down = false;
            answers();
        }
        assertThat(inner.asked).isEqualTo(6);
    }

    @Test
    void aCallerThatWasInterruptedSaysNothingOfTheStore() {
        inner.down = true;
        for (int times = 0; times < 3; times++) {
            Thread.currentThread().interrupt();
            fails();
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(inner.asked).isEqualTo(3);
    }
}
