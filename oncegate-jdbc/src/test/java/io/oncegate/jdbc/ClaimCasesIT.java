package io.oncegate.jdbc;

import static io.oncegate.jdbc.Requests.LEASE;
import static io.oncegate.jdbc.Requests.RETENTION;
import static io.oncegate.jdbc.Requests.granted;
import static io.oncegate.jdbc.Requests.replay;
import static io.oncegate.jdbc.Requests.request;
import static io.oncegate.jdbc.Requests.succeeded;
import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.testkit.Untimed;
import io.oncegate.testsupport.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Cases from practice against claimed mode. */
class ClaimCasesIT {
    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C31: keys that a collation would make equal are different operations")
    void keysThatACollationWouldMakeEqualAreDifferentOperations(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            RecordStore store = open.store(open.pool(1)).build();
            List<String> keys = List.of(
                    "abc",
                    "ABC",
                    "abc ",
                    "ａｂｃ",
                    "\u00e9",
                    "e",
                    "e\u0301",
                    "\u00df",
                    "ss",
                    "\u0130",
                    "i",
                    "a\u0000bc",
                    "a'bc\\");
            for (String key : keys) {
                store.settle(granted(store, request(key)), succeeded(key));
            }
            for (String key : keys) {
                assertThat(Untimed.of(store.claim(request(key)))).isEqualTo(replay(key));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C40: of many that claim together one is granted, before any of them has looked")
    void ofManyThatClaimTogetherOneIsGranted(TestSetup setup) throws Exception {
        try (TestSetup.Open open = setup.open()) {
            RecordStore store = open.store(open.pool(8)).build();
            for (int round = 0; round < 20; round++) {
                String key = "round-" + round;
                List<ClaimAnswer> answers = Threads.together(8, i -> store.claim(request(key)));
                assertThat(answers)
                        .filteredOn(ClaimAnswer.Granted.class::isInstance)
                        .hasSize(1);
                assertThat(answers)
                        .filteredOn(ClaimAnswer.Held.class::isInstance)
                        .hasSize(7);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C41: a crashed holder's key is held for its lease, not for its retention")
    void aCrashedHoldersKeyIsHeldForItsLease(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            RecordStore store = open.store(open.pool(1)).build();
            Duration lease = Duration.ofMillis(500);
            ClaimRef crashed = granted(store, request("k", "10", lease, RETENTION));
            List<ClaimAnswer> answers = new ArrayList<>();
            Await.until("taken over", Duration.ofSeconds(60), () -> {
                answers.add(store.claim(request("k")));
                return !(answers.get(answers.size() - 1) instanceof ClaimAnswer.Held);
            });
            ClaimAnswer.Granted granted = (ClaimAnswer.Granted) answers.remove(answers.size() - 1);
            assertThat(answers)
                    .allSatisfy(answer -> assertThat(((ClaimAnswer.Held) answer).remaining())
                            .isPositive()
                            .isLessThanOrEqualTo(lease));
            assertThat(granted.takeover()).isTrue();
            assertThat(granted.fence())
                    .as("not before the lease's end")
                    .isGreaterThanOrEqualTo(crashed.fence() + lease.toNanos() / 1_000);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C46: another payload is refused while running, after, on takeover and by another instance")
    void anotherPayloadIsAlwaysRefused(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            RecordStore store = open.store(open.pool(1)).build();
            RecordStore other = open.store(open.pool(1)).build();
            ClaimAnswer mismatch = new ClaimAnswer.Mismatch(Fingerprint.of("10"));
            Duration lease = Duration.ofMillis(100);
            granted(store, request("k", "10", lease, RETENTION));
            assertThat(store.claim(request("k", "99"))).isEqualTo(mismatch);
            open.backend().passTime(lease);
            assertThat(store.claim(request("k", "99"))).as("lease over").isEqualTo(mismatch);
            ClaimRef claim = granted(store, request("k"));
            store.settle(claim, succeeded("ten"));
            assertThat(store.claim(request("k", "99"))).isEqualTo(mismatch);
            assertThat(other.claim(request("k", "99"))).isEqualTo(mismatch);
            assertThat(Untimed.of(other.claim(request("k")))).as("untouched").isEqualTo(replay("ten"));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C49: what a late owner sends changes nothing, and he is told so")
    void whatALateOwnerSendsChangesNothing(TestSetup setup) {
        try (TestSetup.Open open = setup.open()) {
            RecordStore store = open.store(open.pool(1)).build();
            Duration lease = Duration.ofMillis(100);
            ClaimRef late = granted(store, request("k", "10", lease, RETENTION));
            open.backend().passTime(lease);
            ClaimRef newer = granted(store, request("k"));
            isLost(store, late);
            // The same worker's older attempt under the newer fence is nobody's either.
            isLost(store, new ClaimRef(newer.id(), newer.fence(), late.attempt()));
            isLost(store, new ClaimRef(newer.id(), late.fence(), newer.attempt()));
            assertThat(store.renew(newer, LEASE)).isEqualTo(HolderAnswer.DONE);
            assertThat(store.settle(newer, succeeded("B"))).isEqualTo(HolderAnswer.DONE);
            isLost(store, late);
            assertThat(Untimed.of(store.claim(request("k")))).isEqualTo(replay("B"));
        }
    }

    private static void isLost(RecordStore store, ClaimRef claim) {
        assertThat(store.renew(claim, LEASE)).isEqualTo(HolderAnswer.LOST);
        assertThat(store.settle(claim, succeeded("A"))).isEqualTo(HolderAnswer.LOST);
        assertThat(store.release(claim)).isEqualTo(HolderAnswer.LOST);
    }
}
