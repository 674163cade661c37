package io.oncegate.spring.http;

import io.oncegate.core.FailureKind;
import io.oncegate.core.Operation;
import io.oncegate.core.codec.TypeRef;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Makes the operations behind a gate: their result is an answer, and an answer that is a refusal is kept as one. */
public final class HttpOperations {
    /** The most bytes of a kept answer's headers. */
    public static final int HEADER_ROOM = 64 * 1024;

    private static final HttpSnapshotCodec CODEC = new HttpSnapshotCodec();

    private HttpOperations() {}

    /**
     * An operation.
     *
     * @param name as for {@link Operation#named}
     * @param maxResponseBytes the most bytes of an answer's body to be kept
     * @param failures what an exception that leaves the handlers means
     * @param policies sets the others: lease, retention, waiting and so on
     */
    public static Operation<HttpSnapshot> operation(
            String name,
            int maxResponseBytes,
            Function<Throwable, FailureKind> failures,
            UnaryOperator<Operation.Builder<HttpSnapshot>> policies) {
        Operation.Builder<HttpSnapshot> builder = Operation.named(name).returning(HttpSnapshot.class);
        return policies.apply(builder)
                .codec(CODEC)
                .maxResultBytes(maxResponseBytes + HEADER_ROOM)
                .refusal(
                        "http",
                        RefusedAnswer.class,
                        TypeRef.of(byte[].class),
                        refused -> CODEC.encode(refused.snapshot(), HttpSnapshot.class),
                        stored -> new RefusedAnswer(CODEC.decode(stored, HttpSnapshot.class)))
                .failures(failure -> meaning(failure, failures))
                .build();
    }

    static FailureKind meaning(Throwable failure, Function<Throwable, FailureKind> failures) {
        if (failure instanceof UnknownAnswer) {
            return FailureKind.NOBODY_KNOWS;
        }
        return failure instanceof ReleasedAnswer ? FailureKind.NOTHING_HAPPENED : failures.apply(failure);
    }

    /** An answer that is a refusal: what the business wrote is undone where that is possible, and the answer is kept. */
    public static final class RefusedAnswer extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient HttpSnapshot snapshot;

        /** Creates the exception. */
        public RefusedAnswer(HttpSnapshot snapshot) {
            super("answered with status " + snapshot.status(), null, false, false);
            this.snapshot = snapshot;
        }

        /** The answer. */
        public HttpSnapshot snapshot() {
            return snapshot;
        }
    }

    /** An answer after which nobody knows what has happened. */
    public static final class UnknownAnswer extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** Creates the exception. */
        public UnknownAnswer(String why) {
            super(why, null, false, false);
        }
    }

    /** An answer that says that nothing has happened: it is not kept, and the key is free. */
    public static final class ReleasedAnswer extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** Creates the exception. */
        public ReleasedAnswer(String why) {
            super(why, null, false, false);
        }
    }
}
