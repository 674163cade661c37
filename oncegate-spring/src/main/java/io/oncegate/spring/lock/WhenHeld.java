package io.oncegate.spring.lock;

/** What a call is answered with while another one holds the lock, or its window is open. */
public enum WhenHeld {
    /** It is refused at once with {@code InProgressException}, which says how long that lasts at most. The default. */
    REFUSE,
    /** It waits for its turn as long as {@code waitUpTo}, and is refused then. */
    WAIT,
    /**
     * It is given the result of the call that it met, and waits for it as long as {@code waitUpTo}. Where that one fails, it
     * runs itself, if there is still time; else it is refused.
     */
    RESULT
}
