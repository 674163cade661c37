package io.oncegate.shop.order;

/**
 * The wish to buy. User and request id say which wish it is; session and quantity say what is wished for.
 *
 * @param requestId made by the client for each wish, and the same in its repetitions
 * @param quantity 1 or more
 */
public record OrderRequest(String user, String requestId, long sessionId, int quantity) {}
