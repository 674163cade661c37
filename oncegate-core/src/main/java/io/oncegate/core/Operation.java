package io.oncegate.core;

import io.oncegate.core.codec.ResultCodec;
import io.oncegate.core.codec.TypeRef;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A named business action with its policies. Made once, kept in a constant. Immutable and thread-safe.
 *
 * @param <T> the type of its result
 */
public final class Operation<T> {
    /** How long a claim may be held unrenewed, unless said otherwise. */
    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

    /** How long a settled record answers, unless said otherwise. */
    public static final Duration DEFAULT_RETENTION = Duration.ofHours(24);

    /** The most bytes that a result may have to be kept, unless said otherwise. */
    public static final int DEFAULT_MAX_RESULT_BYTES = 1024 * 1024;

    /** The longest lease. */
    public static final Duration MAX_LEASE = Duration.ofDays(1);

    /** The longest retention. */
    public static final Duration MAX_RETENTION = Duration.ofDays(3660);

    private final String name;
    private final TypeRef<T> type;
    private final Settings<T> settings;

    private Operation(String name, TypeRef<T> type, Settings<T> settings) {
        this.name = name;
        this.type = type;
        this.settings = settings;
    }

    /**
     * Begins an operation that has no result.
     *
     * @param name as {@link OperationKey#requireOperationName} wants it; it outlives refactoring
     * @throws io.oncegate.core.error.InvalidKeyException if the name cannot be used
     */
    public static Builder<Void> named(String name) {
        return new Builder<>(OperationKey.requireOperationName(name), TypeRef.of(Void.class));
    }

    /** This key's call. */
    public Call<T> call(Scope scope, String value, Fingerprint fingerprint) {
        return new Call<>(this, OperationKey.of(name, scope, value), fingerprint);
    }

    /** The name. */
    public String name() {
        return name;
    }

    /** The declared type of the result. */
    public TypeRef<T> type() {
        return type;
    }

    /** Whether the result is always null. */
    boolean returnsNothing() {
        return type.type() == Void.class;
    }

    Settings<T> settings() {
        return settings;
    }

    /** How long a claim may be held unrenewed. */
    public Duration lease() {
        return settings.lease;
    }

    /** How long a settled record answers. */
    public Duration retention() {
        return settings.retention;
    }

    /**
     * Whether nobody knows after this failure what has happened: it is no declared refusal, and {@link Builder#failures} says so
     * or fails itself.
     */
    public boolean leavesUnknown(Throwable failure) {
        return refusalOf(failure) == null && meaningOf(failure) == FailureKind.NOBODY_KNOWS;
    }

    /** The refusal that this failure is declared as, or null. */
    @Nullable
    Refusal<?, ?> refusalOf(Throwable failure) {
        for (Refusal<?, ?> refusal : settings.refusals()) {
            if (refusal.type().isInstance(failure)) {
                return refusal;
            }
        }
        return null;
    }

    /** What a failure that is no refusal means; if the operation's own judgement fails, nobody knows. */
    FailureKind meaningOf(Throwable failure) {
        try {
            return settings.failures().apply(failure);
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            if (e != failure) {
                failure.addSuppressed(e);
            }
            return FailureKind.NOBODY_KNOWS;
        }
    }

    @Override
    public String toString() {
        return "Operation[" + name + "]";
    }

    /** The policies, as the engine reads them. */
    record Settings<T>(
            Duration lease,
            Duration retention,
            Duration resultRetention,
            int maxResultBytes,
            Duration waitUpTo,
            WhenStoreDown whenStoreDown,
            List<Refusal<?, ?>> refusals,
            Function<Throwable, FailureKind> failures,
            boolean failuresMayBeKept,
            @Nullable Duration birthLimit,
            Duration birthTolerance,
            @Nullable Reconciler<T> reconciler,
            ReconcilePolicy reconciling,
            @Nullable ResultCodec codec,
            boolean recordLate) {}

    /**
     * Collects the policies of an operation. Not thread-safe.
     *
     * @param <T> the type of its result
     */
    public static final class Builder<T> {
        private final String name;
        private final TypeRef<T> type;
        private final List<Refusal<?, ?>> refusals = new ArrayList<>();
        private Duration lease = DEFAULT_LEASE;
        private Duration retention = DEFAULT_RETENTION;
        private @Nullable Duration resultRetention;
        private int maxResultBytes = DEFAULT_MAX_RESULT_BYTES;
        private Duration waitUpTo = Duration.ZERO;
        private WhenStoreDown whenStoreDown = WhenStoreDown.REFUSE;
        private Function<Throwable, FailureKind> failures = failure -> FailureKind.NOTHING_HAPPENED;
        private boolean failuresMayBeKept;
        private @Nullable Duration birthLimit;
        private Duration birthTolerance = Duration.ZERO;
        private @Nullable Reconciler<T> reconciler;
        private ReconcilePolicy reconciling = ReconcilePolicy.DEFAULT;
        private @Nullable ResultCodec codec;
        private boolean recordLate;

        private Builder(String name, TypeRef<T> type) {
            this.name = name;
            this.type = type;
        }

        /** The class of the result. To be said first: it forgets what was said before. */
        public <R> Builder<R> returning(Class<R> type) {
            return new Builder<>(name, TypeRef.of(type));
        }

        /** The type of the result, with its type arguments. To be said first: it forgets what was said before. */
        public <R> Builder<R> returning(TypeRef<R> type) {
            return new Builder<>(name, type);
        }

        /**
         * How long a claim may be held unrenewed, 1 ms to {@link #MAX_LEASE}: about as long as a crash may block the key.
         * A running business is renewed in the background, for a whole retention at most.
         */
        public Builder<T> lease(Duration lease) {
            this.lease = bounded("lease", lease, MAX_LEASE);
            return this;
        }

        /** How long a settled record answers, 1 ms to {@link #MAX_RETENTION}. */
        public Builder<T> retention(Duration retention) {
            this.retention = bounded("retention", retention, MAX_RETENTION);
            return this;
        }

        /**
         * How long the result is kept, at most the retention and by default as long. Afterwards a repetition is answered
         * as done, without the result.
         */
        public Builder<T> resultRetention(Duration resultRetention) {
            this.resultRetention = bounded("result retention", resultRetention, MAX_RETENTION);
            return this;
        }

        /** The most bytes of an encoded result, 0 or more; a larger one is given to the first caller and not kept. */
        public Builder<T> maxResultBytes(int maxResultBytes) {
            if (maxResultBytes < 0) {
                throw new IllegalArgumentException("the size limit of a result is 0 or more, not " + maxResultBytes);
            }
            this.maxResultBytes = maxResultBytes;
            return this;
        }

        /** Lets a repetition of a running request wait this long for its outcome, instead of being refused at once. */
        public Builder<T> waitUpTo(Duration deadline) {
            this.waitUpTo = bounded("wait", deadline, MAX_LEASE);
            return this;
        }

        /** What happens while the store is down. */
        public Builder<T> whenStoreDown(WhenStoreDown whenStoreDown) {
            this.whenStoreDown = whenStoreDown;
            return this;
        }

        /**
         * Declares an exception as a definitive business refusal, whose message is kept and thrown again.
         *
         * @param code stable short name under which it is stored
         * @param type the exception
         * @param again makes it again from its message
         */
        public <X extends RuntimeException> Builder<T> refusal(String code, Class<X> type, Function<String, X> again) {
            return refusal(code, type, TypeRef.of(String.class), x -> String.valueOf(x.getMessage()), again);
        }

        /**
         * Declares an exception as a definitive business refusal, of which some data is kept.
         *
         * @param code stable short name under which it is stored
         * @param type the exception
         * @param dataType the type of the data, which the codec has to support
         * @param toData takes the data from the exception
         * @param again makes the exception again from the data
         */
        public <X extends RuntimeException, D> Builder<T> refusal(
                String code, Class<X> type, TypeRef<D> dataType, Function<X, D> toData, Function<D, X> again) {
            OperationKey.requireOperationName(code);
            if (refusals.stream().anyMatch(known -> known.code().equals(code))) {
                throw new IllegalArgumentException("operation " + name + " has a refusal " + code + " already");
            }
            refusals.add(new Refusal<>(code, type, dataType, toData, again));
            return this;
        }

        /** Tells what other failures mean; by default nothing happened. Refusals are looked at first. */
        public Builder<T> failures(Function<Throwable, FailureKind> meaning) {
            this.failures = meaning;
            this.failuresMayBeKept = true;
            return this;
        }

        /**
         * Refuses keys that carry their birth time (UUID version 7, ULID), have no record, and are as old as the limit or
         * born more than the tolerance in the future. Together they are at most the retention.
         */
        public Builder<T> birthTime(Duration limit, Duration tolerance) {
            this.birthLimit = bounded("birth limit", limit, MAX_RETENTION);
            this.birthTolerance = bounded("birth tolerance", tolerance, MAX_RETENTION);
            return this;
        }

        /** Who finds out about unknown outcomes, asked by {@link ReconcilePolicy#DEFAULT}. */
        public Builder<T> reconciler(Reconciler<T> reconciler) {
            return reconciler(reconciler, ReconcilePolicy.DEFAULT);
        }

        /**
         * Who finds out about unknown outcomes, and when to ask. In claimed mode also about those of claims that were left to
         * run out: the business is never run again without asking. Not together with {@link #recordLate}.
         */
        public Builder<T> reconciler(Reconciler<T> reconciler, ReconcilePolicy policy) {
            this.reconciler = reconciler;
            this.reconciling = policy;
            return this;
        }

        /** The codec of this operation's result, instead of the instance's. */
        public Builder<T> codec(ResultCodec codec) {
            this.codec = codec;
            return this;
        }

        /**
         * Same-transaction mode only, not in a ladder: writes the record once, with its result, just before the commit. It saves a
         * statement, and lets two businesses of one key run at once, of which one is rolled back: only for operations
         * without effects outside the transaction. Not used where the transaction is the caller's.
         */
        public Builder<T> recordLate() {
            this.recordLate = true;
            return this;
        }

        /**
         * The operation.
         *
         * @throws IllegalArgumentException if the policies contradict each other
         */
        public Operation<T> build() {
            Duration keptFor = resultRetention == null ? retention : resultRetention;
            if (keptFor.compareTo(retention) > 0) {
                throw new IllegalArgumentException("operation " + name + ": result retention " + keptFor
                        + " is longer than the retention " + retention + "; shorten it");
            }
            if (birthLimit != null && birthLimit.plus(birthTolerance).compareTo(retention) > 0) {
                throw new IllegalArgumentException(
                        "operation " + name + ": birth limit " + birthLimit + " and tolerance "
                                + birthTolerance + " together are longer than the retention " + retention
                                + "; an old key could run again");
            }
            if (reconciler != null && recordLate) {
                throw new IllegalArgumentException("operation " + name + ": a reconciler belongs to effects outside the"
                        + " transaction, which a record that is written late cannot guard; take one of them off");
            }
            return new Operation<>(
                    name,
                    type,
                    new Settings<>(
                            lease,
                            retention,
                            keptFor,
                            maxResultBytes,
                            waitUpTo,
                            whenStoreDown,
                            List.copyOf(refusals),
                            failures,
                            failuresMayBeKept || !refusals.isEmpty(),
                            birthLimit,
                            birthTolerance,
                            reconciler,
                            reconciling,
                            codec,
                            recordLate));
        }

        private Duration bounded(String what, Duration duration, Duration max) {
            if (duration == null || duration.compareTo(Duration.ofMillis(1)) < 0 || duration.compareTo(max) > 0) {
                throw new IllegalArgumentException(
                        "operation " + name + ": the " + what + " is 1 ms to " + max + ", not " + duration);
            }
            return duration;
        }
    }
}
