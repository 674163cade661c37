package io.oncegate.spring.client;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The key of one request of a logical call, and a digest of the body it was first sent with, if that could be seen. */
final class SlotKey {
    private final String value;
    private final byte @Nullable [] digest;

    private SlotKey(String value, byte @Nullable [] digest) {
        this.value = value;
        this.digest = digest;
    }

    static SlotKey fresh(byte @Nullable [] body) {
        return new SlotKey(IdempotencyKeys.newKey(), body == null ? null : digest(body));
    }

    String value() {
        return value;
    }

    boolean isFor(byte @Nullable [] body) {
        return body == null || digest == null || Arrays.equals(digest, digest(body));
    }

    private static byte[] digest(byte[] body) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(body);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
