package io.oncegate.core.key;

import io.oncegate.core.error.InvalidKeyException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 over length-prefixed parts, so that no two lists of parts share an input. */
final class Digests {
    static final int LENGTH = 32;

    private static final MessageDigest PROTOTYPE = create();

    private Digests() {}

    static MessageDigest sha256() {
        try {
            return (MessageDigest) PROTOTYPE.clone();
        } catch (CloneNotSupportedException e) {
            return create();
        }
    }

    private static MessageDigest create() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    static void update(MessageDigest digest, byte[] part) {
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).flip());
        digest.update(part);
    }

    /** UTF-8 bytes; unpaired surrogates are refused, since the usual '?' for them would make different keys equal. */
    static byte[] utf8(String text, String what) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (!Character.isSurrogatePair(text.charAt(i), i + 1 < text.length() ? text.charAt(i + 1) : 0)) {
                    throw new InvalidKeyException(
                            what + " is not valid Unicode (unpaired surrogate); send well-formed text");
                }
                i++;
            }
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
