package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimRef;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A request for a lock in the making: every method but the sending ones gives a changed copy. */
record LockAsking(LockRequest request) {
    static final String OPERATION = "testkit.lock";
    static final Duration LONG = Duration.ofHours(1);
    static final Duration SHORT = Duration.ofMillis(1);

    /** A new attempt for a lock that nobody has used, with a long lease and no window. */
    static LockAsking forNewKey() {
        return forKey(UUID.randomUUID().toString());
    }

    static LockAsking forKey(String value) {
        return of(OPERATION, value);
    }

    static LockAsking of(String operation, String value) {
        return forId(OperationKey.of(operation, Scope.of("contract"), value).id());
    }

    static LockAsking forId(RecordId id) {
        return new LockAsking(LockRequest.of(id, OPERATION, LONG, null));
    }

    RecordId id() {
        return request.id();
    }

    /** The same request, asked by another. */
    LockAsking anew() {
        return by(AttemptId.random());
    }

    LockAsking by(AttemptId attempt) {
        return copy(attempt, request.lease(), request.window(), request.takesResult(), request.metFence());
    }

    LockAsking lease(Duration lease) {
        return copy(request.attempt(), lease, request.window(), request.takesResult(), request.metFence());
    }

    LockAsking window(@Nullable Duration window) {
        return copy(request.attempt(), request.lease(), window, request.takesResult(), request.metFence());
    }

    /** Takes the result of an open window's run. */
    LockAsking takingResult() {
        return takingResultSince(0);
    }

    /** Takes the result of the run with this fence, which it has met, or of a later one. */
    LockAsking takingResultSince(long fence) {
        return copy(request.attempt(), request.lease(), request.window(), true, fence);
    }

    /** Has met the run with this fence. */
    LockAsking met(long fence) {
        return new LockAsking(request.met(fence));
    }

    LockAsking waiting() {
        return new LockAsking(request.waiting());
    }

    private LockAsking copy(
            AttemptId attempt, Duration lease, @Nullable Duration window, boolean takesResult, long metFence) {
        return new LockAsking(new LockRequest(
                id(), request.operation(), attempt, lease, window, request.waits(), takesResult, metFence));
    }

    LockAnswer at(LockStore store) {
        return store.acquire(request);
    }

    /** Acquires, and fails unless it is granted. */
    ClaimRef grantedAt(LockStore store) {
        LockAnswer answer = at(store);
        assertThat(answer).isInstanceOf(LockAnswer.Granted.class);
        return ref(((LockAnswer.Granted) answer).fence());
    }

    ClaimRef ref(long fence) {
        return new ClaimRef(id(), fence, request.attempt());
    }
}
