package io.oncegate.shop.order;

/** There are not enough seats left. A definitive refusal: the request is answered so for good. */
public final class SoldOutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long sessionId;
    private final int quantity;

    /** Creates the exception. */
    public SoldOutException(long sessionId, int quantity) {
        super("Session " + sessionId + " has fewer than " + quantity + (quantity == 1 ? " seat" : " seats")
                + " left; ask for fewer, or for another session, and take a new Idempotency-Key if you send one.");
        this.sessionId = sessionId;
        this.quantity = quantity;
    }

    /** What the gate keeps of it. */
    record Kept(long sessionId, int quantity) {}

    Kept kept() {
        return new Kept(sessionId, quantity);
    }

    static SoldOutException again(Kept kept) {
        return new SoldOutException(kept.sessionId(), kept.quantity());
    }
}
