package io.oncegate.spring.internal;

import org.jspecify.annotations.Nullable;

/** Throws whatever the business threw, as a proxied method would. */
public final class Sneaky {
    private Sneaky() {}

    /** Runs it and throws what it throws. */
    public static <R> @Nullable R run(Body<R> body) {
        try {
            return body.run();
        } catch (Throwable e) {
            throw rethrow(e);
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    static <E extends Throwable> RuntimeException rethrow(Throwable failure) throws E {
        throw (E) failure;
    }
}
