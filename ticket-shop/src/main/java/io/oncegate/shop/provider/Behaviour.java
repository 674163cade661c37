package io.oncegate.shop.provider;

/** What the provider does with a payment that it has not seen before. */
public enum Behaviour {
    /** Takes the money and says so. */
    TAKES,
    /** Takes the money and does not answer. */
    TAKES_IN_SILENCE,
    /** Does not answer, and takes the money after the caller has given up. */
    TAKES_LATE,
    /** Declines the card. */
    DECLINES,
    /** Says that it cannot work just now, and that nothing was taken. */
    CANNOT_WORK,
    /** Takes nothing, keeps nothing, and does not answer. */
    LOSES
}
