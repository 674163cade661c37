package io.oncegate.testkit;

import static io.oncegate.core.spi.HolderAnswer.DONE;
import static io.oncegate.core.spi.HolderAnswer.LOST;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.spi.ClaimRef;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A lock that is passed on to the next one in a line. */
abstract class LockPassChecks extends LockResultChecks {
    private ClaimRef passed(ClaimRef held, LockAsking next) {
        return next.ref(twin().pass(held, next.request()).orElseThrow());
    }

    @Test
    void aPassSentAgainIsAnsweredAsBefore() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef first = asking.grantedAt(store());
        LockAsking next = asking.anew();
        ClaimRef second = passed(first, next);
        assertThat(store().pass(first, next.request())).hasValue(second.fence());
        assertThat(store().pass(first, asking.anew().request())).isEmpty();
        assertThat(next.grantedAt(store())).isEqualTo(second);
        LockEnding.done(store(), second, LockEnd.released());
        assertThat(store().pass(first, next.request())).isEmpty();
        assertThat(asking.anew().at(twin())).isInstanceOf(LockAnswer.Granted.class);
    }

    @Test
    void aPassSentAgainAfterTheNextOnesLeaseIsRefused() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef first = asking.grantedAt(store());
        LockAsking next = asking.anew().lease(LockAsking.SHORT);
        ClaimRef second = passed(first, next);
        backend().passTime(LockAsking.SHORT.plusMillis(2));
        assertThat(store().pass(first, next.request())).isEmpty();
        assertThat(store().end(second, LockEnd.released())).isEqualTo(LOST);
        assertThat(asking.anew().at(twin())).isInstanceOf(LockAnswer.Granted.class);
    }

    @Test
    void aLockIsPassedOnFromOneToTheNext() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef held = asking.grantedAt(store());
        for (int i = 0; i < 10; i++) {
            LockAsking next = asking.anew().lease(Duration.ofMinutes(10 + i));
            ClaimRef newer = next.ref(handle(i).pass(held, next.request()).orElseThrow());
            assertThat(newer.fence()).isGreaterThan(held.fence());
            assertThat(store().renew(held, LockAsking.LONG)).isEqualTo(LOST);
            assertThat(store().end(held, LockEnding.with("late"))).isEqualTo(LOST);
            assertThat(asking.anew().takingResultSince(held.fence()).at(twin()))
                    .isInstanceOfSatisfying(LockAnswer.Held.class, answer -> {
                        assertThat(answer.fence()).isEqualTo(newer.fence());
                        assertThat(answer.completed()).isFalse();
                        assertThat(answer.left())
                                .isPositive()
                                .isLessThanOrEqualTo(next.request().lease().plusMillis(1));
                    });
            held = newer;
        }
        assertThat(store().renew(held, LockAsking.LONG)).isEqualTo(DONE);
    }

    @Test
    void theNextOnesLeaseAndWindowAreItsOwn() {
        LockAsking asking = LockAsking.forNewKey();
        LockAsking next = asking.anew().lease(LockAsking.SHORT).window(LockAsking.LONG);
        ClaimRef second = passed(asking.grantedAt(store()), next);
        backend().passTime(LockAsking.SHORT.plusMillis(2));
        assertThat(store().renew(second, LockAsking.LONG)).isEqualTo(LOST);
        assertThat(asking.anew().at(twin()))
                .isInstanceOfSatisfying(
                        LockAnswer.Held.class,
                        held -> assertThat(held.completed()).isFalse());

        LockAsking other = LockAsking.forNewKey();
        LockAsking window = other.anew().window(LockAsking.LONG);
        ClaimRef held = passed(other.grantedAt(store()), window);
        assertThat(store().pass(held, other.anew().request())).isEmpty();
        LockEnding.done(store(), held, LockEnding.COMPLETED);
        assertThat(other.anew().at(twin()))
                .isInstanceOfSatisfying(
                        LockAnswer.Held.class,
                        answer -> assertThat(answer.completed()).isTrue());
    }

    @Test
    void aLockOfAnotherKeyIsNotPassedOn() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef held = asking.grantedAt(store());
        LockAsking other = LockAsking.forNewKey();
        ClaimRef othersLock = new ClaimRef(other.id(), held.fence(), held.attempt());
        assertThat(store().pass(othersLock, other.anew().request())).isEmpty();
        assertThat(other.at(twin())).isInstanceOf(LockAnswer.Granted.class);
        assertThat(store().renew(held, LockAsking.LONG)).isEqualTo(DONE);
    }
}
