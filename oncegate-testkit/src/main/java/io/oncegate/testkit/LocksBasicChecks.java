package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.InProgressException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockRelease;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What one holder and one asker see. */
abstract class LocksBasicChecks extends LocksFixture {
    @Test
    void aHeldLockIsRefusedToAllOthersWithTheTimeThatIsLeft() {
        OperationKey key = newKey();
        HeldLock held = acquired(locks().tryAcquire(key, UNTIL_DONE));
        assertThat(held.isHeld()).isTrue();
        assertThat(held.key()).isEqualTo(key);
        for (int i = 0; i < 2; i++) {
            Acquisition<HeldLock> other = handle(i).tryAcquire(key, UNTIL_DONE);
            assertThat(other)
                    .isInstanceOfSatisfying(
                            Acquisition.Refused.class,
                            refused -> assertThat(refused.retryAfter()).isPositive());
            assertThatThrownBy(other::orElseThrow).isInstanceOf(InProgressException.class);
        }
        assertThat(held.release()).isEqualTo(LockRelease.DONE);
        assertThat(held.isHeld()).isFalse();
        assertThat(held.remaining()).isEqualTo(Duration.ZERO);
        assertThat(acquired(twin().tryAcquire(key, UNTIL_DONE)).release()).isEqualTo(LockRelease.DONE);
    }
}
