package io.oncegate.shop.order;

import java.util.Locale;

/** What may happen to an order after it has been placed. */
public enum OrderEvent {
    /** Its payment has been taken. */
    PAY,
    /** The tickets leave the shop. */
    SHIP,
    /** The tickets have arrived. */
    COMPLETE,
    /** It is given up, and its seats come back. */
    CANCEL;

    /** Its name in addresses and answers. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
