package io.oncegate.shop.payment;

/** Where a payment stands. The codes are what the table holds. */
public enum PaymentState {
    /** The provider may have been asked; what came of it is not known here yet. */
    STARTED(0),
    /** The money has been taken. */
    TAKEN(1),
    /** The card was declined; nothing was taken. */
    DECLINED(2),
    /** It never came to be: nothing was taken, and nothing will be. */
    GIVEN_UP(3);

    private final int code;

    PaymentState(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    static PaymentState of(int code) {
        for (PaymentState state : values()) {
            if (state.code == code) {
                return state;
            }
        }
        throw new IllegalArgumentException("no payment state has the code " + code);
    }
}
