package io.oncegate.spring.http;

import io.oncegate.core.FailureKind;
import io.oncegate.core.Operation;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * A protected endpoint: which requests it takes, the operation that they are, and what is kept of their answers. Where the
 * pattern has variables, each resource has keys of its own. Immutable.
 */
public final class IdempotentRoute {
    /** The most bytes of an answer that are kept, unless said otherwise. */
    public static final int DEFAULT_MAX_RESPONSE_BYTES = Operation.DEFAULT_MAX_RESULT_BYTES;

    private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    private final String method;
    private final PathPattern pattern;
    private final Operation<HttpSnapshot> operation;
    private final boolean keyRequired;
    private final boolean birthTimeCounts;
    private final @Nullable KeySource key;
    private final StatusRules statuses;
    private final HeaderRules headers;
    private final int maxResponseBytes;
    private final Function<Throwable, FailureKind> failures;

    private IdempotentRoute(Builder builder) {
        this.method = builder.method;
        PathPatternParser parser = PathPatternParser.defaultInstance;
        this.pattern = parser.parse(parser.initFullPathPattern(builder.pattern)); // "orders" is "/orders", as there
        this.operation = HttpOperations.operation(
                builder.operation, builder.maxResponseBytes, builder.failures, builder.policies);
        this.keyRequired = builder.keyRequired;
        this.birthTimeCounts = builder.birthTimeCounts;
        this.key = builder.key;
        this.statuses = builder.statuses;
        this.headers = builder.headers;
        this.maxResponseBytes = builder.maxResponseBytes;
        this.failures = builder.failures;
    }

    /**
     * Begins a route.
     *
     * @param method the HTTP method, not a safe one
     * @param pattern the path within the application, as in {@code @PostMapping}
     * @param operation stable name of the operation, such as {@code order.create}
     */
    public static Builder of(String method, String pattern, String operation) {
        return new Builder(method, pattern, operation);
    }

    /** Begins a route for POST. */
    public static Builder post(String pattern, String operation) {
        return of("POST", pattern, operation);
    }

    /**
     * Whether it takes such a request.
     *
     * @param path within the application
     */
    public boolean matches(String requestMethod, PathContainer path) {
        return method.equals(requestMethod) && pattern.matches(path);
    }

    /** Whether requests of this route can name different resources. */
    public boolean namesResources() {
        return pattern.hasPatternSyntax();
    }

    /** The HTTP method. */
    public String method() {
        return method;
    }

    /** The path within the application, as a pattern. */
    public String pattern() {
        return pattern.getPatternString();
    }

    /** The operation with its policies: lease, retention, waiting. */
    public Operation<HttpSnapshot> operation() {
        return operation;
    }

    /** Whether a request without a key is refused. */
    public boolean keyRequired() {
        return keyRequired;
    }

    /** Whether a key that carries its birth time and has no record is refused once it is as old as the kept answers. */
    public boolean birthTimeCounts() {
        return birthTimeCounts;
    }

    /** Where its keys stand; null if they stand where the gate's other keys do. */
    public @Nullable KeySource key() {
        return key;
    }

    /** What the statuses of answers mean. */
    public StatusRules statuses() {
        return statuses;
    }

    /** Which headers of answers are kept. */
    public HeaderRules headers() {
        return headers;
    }

    /** The most bytes of an answer's body to be kept. */
    public int maxResponseBytes() {
        return maxResponseBytes;
    }

    /** What an exception that leaves the handlers means; if that cannot be told, nobody knows. */
    public FailureKind meaningOf(Throwable failure) {
        try {
            return HttpOperations.meaning(failure, failures);
        } catch (RuntimeException e) {
            if (e != failure) {
                failure.addSuppressed(e);
            }
            return FailureKind.NOBODY_KNOWS;
        }
    }

    @Override
    public String toString() {
        return method + " " + pattern + " (" + operation.name() + ")";
    }

    /** Collects the policies of a route. Not thread-safe. */
    public static final class Builder {
        private final String method;
        private final String pattern;
        private final String operation;
        private boolean keyRequired = true;
        private boolean birthTimeCounts = true;
        private @Nullable KeySource key;
        private StatusRules statuses = StatusRules.defaults();
        private HeaderRules headers = HeaderRules.defaults();
        private int maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES;
        private Function<Throwable, FailureKind> failures = failure -> FailureKind.NOTHING_HAPPENED;
        private UnaryOperator<Operation.Builder<HttpSnapshot>> policies = operationBuilder -> operationBuilder;

        private Builder(String method, String pattern, String operation) {
            this.method = method.toUpperCase(Locale.ROOT);
            this.pattern = pattern;
            this.operation = operation;
            if (SAFE.contains(this.method)) {
                throw new IllegalArgumentException(
                        method + " has no effect to protect; a gate leaves GET, HEAD, OPTIONS and TRACE untouched");
            }
        }

        /** Lets requests without a key pass unprotected. */
        public Builder keyOptional() {
            this.keyRequired = false;
            return this;
        }

        /**
         * Lets keys run whatever birth time they carry, for keys that were not made with the request, such as the number
         * of something older. Without this, a UUID of version 7 or a ULID that has no record is refused with 412 when it is
         * as old as the kept answers, or from the future by more than a tolerance: then nobody can tell any more whether
         * it has run.
         */
        public Builder ignoreBirthTime() {
            this.birthTimeCounts = false;
            return this;
        }

        /** Where the keys of this route stand, if not where the gate's other keys do. */
        public Builder key(KeySource key) {
            this.key = key;
            return this;
        }

        /** What the statuses of answers mean. */
        public Builder statuses(StatusRules statuses) {
            this.statuses = statuses;
            return this;
        }

        /** Which headers of answers are kept. */
        public Builder headers(HeaderRules headers) {
            this.headers = headers;
            return this;
        }

        /** The most bytes of an answer's body to be kept, 0 or more; a longer one is sent whole and not kept. */
        public Builder maxResponseBytes(int maxResponseBytes) {
            if (maxResponseBytes < 0 || maxResponseBytes > Integer.MAX_VALUE - HttpOperations.HEADER_ROOM) {
                throw new IllegalArgumentException("the size limit of an answer is 0 to "
                        + (Integer.MAX_VALUE - HttpOperations.HEADER_ROOM) + " bytes, not " + maxResponseBytes);
            }
            this.maxResponseBytes = maxResponseBytes;
            return this;
        }

        /**
         * What an exception that leaves the handlers means; by default nothing happened, and the key is free. To be said
         * here and not in {@link #policies}.
         */
        public Builder failures(Function<Throwable, FailureKind> failures) {
            this.failures = failures;
            return this;
        }

        /** Sets lease, retention, waiting and the other policies of the operation. */
        public Builder policies(UnaryOperator<Operation.Builder<HttpSnapshot>> policies) {
            this.policies = policies;
            return this;
        }

        /** The route. */
        public IdempotentRoute build() {
            return new IdempotentRoute(this);
        }
    }
}
