package io.oncegate.core.error;

/** Two transitions of a state machine are allowed at once, so that nothing decides between them. Nothing was done. */
public final class AmbiguousTransitionException extends OncegateException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param machine the machine's name
     * @param one a transition whose guard holds
     * @param other another one
     */
    public AmbiguousTransitionException(String machine, String one, String other) {
        super(
                "machine " + machine + ": the guards of " + one + " and of " + other
                        + " both hold; write them so that they exclude each other",
                null,
                null);
    }
}
