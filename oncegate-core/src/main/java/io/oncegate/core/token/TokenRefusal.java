package io.oncegate.core.token;

/** Why a token was not accepted. The first two are decided without asking any store. */
public enum TokenRefusal {
    /** The text is no token. */
    MALFORMED,
    /** The token was not issued by this service to this subject for this purpose: forged, or somebody else's. */
    FOREIGN,
    /** The token's time is over. */
    EXPIRED,
    /** A strict token that was used before, was dropped for newer ones, or that the store does not know. */
    USED
}
