package io.oncegate.benchmarks;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** What a guard that is written by hand needs of the request: the key as it comes, and one digest of the body. */
final class Hand {
    static final byte[] NONE = {};

    private Hand() {}

    static byte[] key(String request) {
        return request.getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] fingerprint() {
        try {
            return MessageDigest.getInstance("SHA-256").digest(Orders.BODY.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
