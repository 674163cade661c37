package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.key.Scope;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.BirthRule;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.RecordStore;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A claim request in the making: every method but the sending ones gives a changed copy. */
record Asking(ClaimRequest request) {
    static final String OPERATION = "testkit.contract";
    static final Duration LONG = Duration.ofHours(1);
    static final Duration SHORT = Duration.ofMillis(1);
    static final Fingerprint PAYLOAD = Fingerprint.of("amount 10");
    static final Fingerprint OTHER_PAYLOAD = Fingerprint.of("amount 99");

    /** A new attempt for a key that nobody has used, with a long lease and retention. */
    static Asking forNewKey() {
        return forKey(UUID.randomUUID().toString());
    }

    static Asking forKey(String value) {
        return forId(OperationKey.of(OPERATION, Scope.of("contract"), value).id());
    }

    static Asking forId(RecordId id) {
        return new Asking(new ClaimRequest(id, OPERATION, PAYLOAD, AttemptId.random(), LONG, LONG, 0, null));
    }

    RecordId id() {
        return request.id();
    }

    /** The same request, asked by another. */
    Asking anew() {
        return by(AttemptId.random());
    }

    Asking by(AttemptId attempt) {
        return copy(request.fingerprint(), attempt, request.lease(), request.retention(), request.maxAsks());
    }

    Asking payload(Fingerprint fingerprint) {
        return copy(fingerprint, request.attempt(), request.lease(), request.retention(), request.maxAsks());
    }

    Asking lease(Duration lease) {
        return copy(request.fingerprint(), request.attempt(), lease, request.retention(), request.maxAsks());
    }

    Asking retention(Duration retention) {
        return copy(request.fingerprint(), request.attempt(), request.lease(), retention, request.maxAsks());
    }

    Asking reconciling() {
        return copy(request.fingerprint(), request.attempt(), request.lease(), request.retention(), Integer.MAX_VALUE);
    }

    Asking named(String operation) {
        return with(operation, request.birth());
    }

    Asking born(BirthRule rule) {
        return with(request.operation(), rule);
    }

    private Asking with(String operation, @Nullable BirthRule rule) {
        return new Asking(new ClaimRequest(
                id(),
                operation,
                request.fingerprint(),
                request.attempt(),
                request.lease(),
                request.retention(),
                request.maxAsks(),
                rule));
    }

    private Asking copy(Fingerprint fingerprint, AttemptId attempt, Duration lease, Duration retention, int maxAsks) {
        return new Asking(new ClaimRequest(
                id(), request.operation(), fingerprint, attempt, lease, retention, maxAsks, request.birth()));
    }

    /** One who asks a reconciler, unless it has been asked so often. */
    Asking maxAsks(int maxAsks) {
        return copy(request.fingerprint(), request.attempt(), request.lease(), request.retention(), maxAsks);
    }

    /** Claims, and leaves out how long the answer of a settled record may still be given. */
    ClaimAnswer at(RecordStore store) {
        return Untimed.of(store.claim(request));
    }

    /** Claims, and fails unless the claim is granted. */
    ClaimRef grantedAt(RecordStore store) {
        ClaimAnswer answer = at(store);
        assertThat(answer).isInstanceOf(ClaimAnswer.Granted.class);
        return ref(((ClaimAnswer.Granted) answer).fence());
    }

    /** Claims, and fails unless the asker becomes the reconciler. */
    ClaimRef reconcilingAt(RecordStore store) {
        ClaimAnswer answer = reconciling().at(store);
        assertThat(answer).isInstanceOf(ClaimAnswer.Reconcile.class);
        return ref(((ClaimAnswer.Reconcile) answer).fence());
    }

    ClaimRef ref(long fence) {
        return new ClaimRef(id(), fence, request.attempt());
    }
}
