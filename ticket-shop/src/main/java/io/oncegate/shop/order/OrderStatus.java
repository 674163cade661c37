package io.oncegate.shop.order;

/** Where an order stands. The codes are what the table holds. */
public enum OrderStatus {
    /** Seats are taken, nothing is paid yet. Every order begins here. */
    PENDING_PAYMENT(0),
    /** Paid. */
    PAID(1),
    /** The tickets are on their way. */
    SHIPPED(2),
    /** The tickets have arrived. */
    COMPLETED(3),
    /** Given up; the seats are back. */
    CANCELLED(4);

    private final int code;

    OrderStatus(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    static OrderStatus of(int code) {
        for (OrderStatus status : values()) {
            if (status.code == code) {
                return status;
            }
        }
        throw new IllegalArgumentException("no order status has the code " + code);
    }
}
