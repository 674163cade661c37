package io.oncegate.core.spi;

/** The state of a record. Stores keep the {@link #code()}, which never changes its meaning. */
public enum RecordState {
    /** Released: nobody holds it and nothing was done; kept for its fence. */
    FREE(0),
    /** Claimed, with a lease. */
    RUNNING(1),
    /** Settled: the business succeeded. */
    SUCCEEDED(2),
    /** Settled: a definitive business refusal. */
    REFUSED(3),
    /** Nobody knows whether the business took effect; a reconciler may hold it. */
    UNKNOWN(4);

    private static final RecordState[] BY_CODE = values();

    private final int code;

    RecordState(int code) {
        this.code = code;
    }

    /** The number that stands for this state in stores. */
    public int code() {
        return code;
    }

    /** Whether a claim is answered with the outcome of this state. */
    public boolean settled() {
        return this == SUCCEEDED || this == REFUSED;
    }

    /**
     * The state of a number.
     *
     * @throws IllegalArgumentException if no state has it
     */
    public static RecordState ofCode(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new IllegalArgumentException("no record state has the code " + code);
        }
        return BY_CODE[code];
    }
}
