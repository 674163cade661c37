package io.oncegate.core;

/** Throws what the business threw as it is, also where the compiler has lost its type. */
final class Sneaky {
    private Sneaky() {}

    static RuntimeException rethrow(Throwable failure) {
        throw Sneaky.<RuntimeException>as(failure);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> E as(Throwable failure) throws E {
        throw (E) failure;
    }
}
