package io.oncegate.testkit;

import static io.oncegate.core.spi.HolderAnswer.DONE;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.spi.ClaimRef;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Holds for a window. */
abstract class LockWindowChecks extends LockOwnerChecks {
    private static final Duration WINDOW = Duration.ofMillis(150);
    private static final Duration AGE = Duration.ofMillis(50);

    @Test
    void aWindowCountsFromTheAcquisitionWhateverComesLater() {
        LockAsking asking =
                LockAsking.forNewKey().lease(LockAsking.LONG.multipliedBy(2)).window(LockAsking.LONG);
        ClaimRef held = asking.grantedAt(store());
        backend().passTime(AGE);
        assertThat(store().renew(held, LockAsking.LONG.multipliedBy(2))).isEqualTo(DONE);
        assertThat(asking.window(LockAsking.LONG.multipliedBy(9)).grantedAt(twin()))
                .isEqualTo(held);
        assertThat(leftOf(asking)).isGreaterThan(LockAsking.LONG);
        assertThat(asking.anew().window(LockAsking.LONG.multipliedBy(9)).at(twin()))
                .isInstanceOf(LockAnswer.Held.class);
        LockEnding.done(twin(), held, LockEnding.COMPLETED);
        assertThat(leftOf(asking))
                .isBetween(
                        LockAsking.LONG.minusMinutes(10),
                        LockAsking.LONG.minus(AGE).plusMillis(1));
    }

    private Duration leftOf(LockAsking asking) {
        LockAnswer answer = asking.anew().at(twin());
        assertThat(answer).isInstanceOf(LockAnswer.Held.class);
        return ((LockAnswer.Held) answer).left();
    }

    @Test
    void aCompletedHoldRefusesOthersUntilItsWindowIsOverAndNoLonger() {
        LockAsking asking = LockAsking.forNewKey().window(WINDOW);
        ClaimRef held = asking.grantedAt(store());
        LockEnding.done(store(), held, LockEnding.COMPLETED);
        LockAsking next = asking.anew();
        LockAnswer answer = next.at(twin());
        while (answer instanceof LockAnswer.Held refused) {
            assertThat(refused.left()).isPositive().isLessThanOrEqualTo(WINDOW.plusMillis(1));
            assertThat(refused.completed()).isTrue();
            backend().passTime(refused.left().dividedBy(2).plusNanos(1_000));
            answer = next.at(twin());
        }
        assertThat(((LockAnswer.Granted) answer).fence()).isGreaterThanOrEqualTo(held.fence() + micros(WINDOW));
    }

    @Test
    void aWindowThatIsShorterThanTheWorkFreesNothing() {
        LockAsking asking = LockAsking.forNewKey().window(LockAsking.SHORT);
        ClaimRef held = asking.grantedAt(store());
        backend().passTime(LockAsking.SHORT.plusMillis(2));
        assertThat(asking.anew().at(twin()))
                .isInstanceOfSatisfying(
                        LockAnswer.Held.class,
                        answer -> assertThat(answer.completed()).isFalse());
        LockEnding.done(store(), held, LockEnding.COMPLETED);
        assertThat(asking.anew().at(twin())).isInstanceOf(LockAnswer.Granted.class);
    }

    @Test
    void aWindowOutlastsTheLeaseOfAHolderThatDied() {
        LockAsking asking = LockAsking.forNewKey().lease(LockAsking.SHORT).window(WINDOW);
        ClaimRef dead = asking.grantedAt(store());
        backend().passTime(LockAsking.SHORT.plusMillis(1));
        LockAsking next = asking.anew();
        LockAnswer answer = next.at(twin());
        while (answer instanceof LockAnswer.Held refused) {
            assertThat(refused.completed()).isFalse();
            backend().passTime(refused.left().dividedBy(2).plusNanos(1_000));
            answer = next.at(twin());
        }
        assertThat(((LockAnswer.Granted) answer).fence()).isGreaterThanOrEqualTo(dead.fence() + micros(WINDOW));
    }

    @Test
    void aReleaseClosesTheWindow() {
        LockAsking asking = LockAsking.forNewKey().window(LockAsking.LONG);
        LockEnding.done(store(), asking.grantedAt(store()), LockEnd.released());
        assertThat(asking.anew().at(twin())).isInstanceOf(LockAnswer.Granted.class);
    }

    @Test
    void aWindowRefusesThoseWhoWantNoneAndTheirsIsTheirOwn() {
        LockAsking asking = LockAsking.forNewKey().window(WINDOW);
        ClaimRef first = asking.grantedAt(store());
        LockEnding.done(store(), first, LockEnding.COMPLETED);
        backend().passTime(WINDOW);
        ClaimRef second = asking.anew().window(null).grantedAt(twin());
        LockEnding.done(twin(), second, LockEnding.COMPLETED);
        ClaimRef third = asking.anew().window(LockAsking.LONG).grantedAt(store());
        LockEnding.done(store(), third, LockEnding.COMPLETED);
        assertThat(asking.anew().window(null).at(twin())).isInstanceOf(LockAnswer.Held.class);
    }

    @Test
    void theLongestWindowIsKept() {
        LockAsking asking = LockAsking.forNewKey().window(LockOptions.MAX_WINDOW);
        LockEnding.done(store(), asking.grantedAt(store()), LockEnding.COMPLETED);
        backend().passTime(Duration.ofMillis(5));
        assertThat(leftOf(asking)).isBetween(LockOptions.MAX_WINDOW.minusHours(1), LockOptions.MAX_WINDOW);
    }
}
