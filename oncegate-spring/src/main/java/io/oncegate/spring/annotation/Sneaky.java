package io.oncegate.spring.annotation;

import org.jspecify.annotations.Nullable;

/** Throws whatever the business threw, as a proxied method would. */
final class Sneaky {
    private Sneaky() {}

    /** Runs it and throws what it throws. */
    static <R> @Nullable R run(HeldKeys.Body<R> body) {
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
