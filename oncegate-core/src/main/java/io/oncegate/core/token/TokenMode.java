package io.oncegate.core.token;

/** What becomes of a token's second use. */
public enum TokenMode {
    /** The token is the request's key: its second use gets the first answer. Nothing is stored when it is issued. */
    REPLAY(1),
    /** Every second use is refused. The unused tokens are kept in a {@link TokenStore}. */
    STRICT(2);

    private final int code;

    TokenMode(int code) {
        this.code = code;
    }

    /** The number in a token's bytes; stable. */
    int code() {
        return code;
    }
}
