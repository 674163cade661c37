package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import org.junit.jupiter.api.Test;

/** Every cell of the lock's table. */
abstract class LockTableChecks extends LockStoreFixture {
    @Test
    void aHeldLockIsHeldUntilItIsEnded() {
        LockAsking asking = LockAsking.forNewKey();
        ClaimRef held = asking.grantedAt(store());
        assertThat(asking.anew().at(twin())).isInstanceOfSatisfying(LockAnswer.Held.class, answer -> {
            assertThat(answer.left()).isPositive();
            assertThat(answer.fence()).isEqualTo(held.fence());
            assertThat(answer.completed()).isFalse();
        });
        assertThat(twin().renew(held, LockAsking.LONG)).isEqualTo(HolderAnswer.DONE);
        assertThat(twin().end(held, LockEnd.released())).isEqualTo(HolderAnswer.DONE);
        assertThat(asking.anew().grantedAt(store()).fence()).isGreaterThan(held.fence());
    }
}
