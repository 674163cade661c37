package io.oncegate.core.token;

/** What happens when a subject asks for a strict token and has as many unused ones as it may have. */
public enum WhenFull {
    /** The oldest ones, those that expire first, make room: somebody who opens a form again and again is never locked out. */
    DROP_OLDEST,
    /** No token is issued until one is used or expires. */
    REFUSE
}
