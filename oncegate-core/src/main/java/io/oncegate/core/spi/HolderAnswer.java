package io.oncegate.core.spi;

/** A store's answer to one who says that he holds a claim. */
public enum HolderAnswer {
    /** Done, now or by an earlier sending of the same. */
    DONE,
    /** Refused, nothing changed: the claim is not, or no longer, the record's newest. */
    LOST,
    /** Refused, nothing changed: this claim has already been settled with another outcome. */
    SETTLED
}
