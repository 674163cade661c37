package io.oncegate.core.token;

import io.oncegate.core.key.Scope;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;
import javax.crypto.Mac;
import org.jspecify.annotations.Nullable;

/**
 * A token as it travels, in base64url without padding, numbers big endian:
 *
 * <pre>
 * offset  bytes
 *      0      1  format version, 1
 *      1      1  number of the secret
 *      2      1  mode: 1 replay, 2 strict
 *      3      8  expires at, milliseconds since 1970
 *     11     16  id, a UUID of version 7
 *     27     32  HMAC-SHA256 over a label, these 27 bytes, the subject, and the purpose behind its length
 * </pre>
 *
 * <p>Exactly one text stands for these bytes; any other is no token.
 */
final class TokenText {
    private static final int VERSION = 1;
    private static final int HEAD = 27;
    private static final int LENGTH = 59;
    private static final int TEXT_LENGTH = 79;
    private static final byte[] LABEL = "oncegate one-time token\n".getBytes(StandardCharsets.US_ASCII);

    private TokenText() {}

    /** What a token says of itself; to be believed once its signature has been checked. */
    record Content(int secret, TokenMode mode, long expiresAtMillis, UUID id) {
        /** The birth time in the id. */
        long bornAtMillis() {
            return id.getMostSignificantBits() >>> 16;
        }
    }

    static String write(Content content, TokenSecret secret, Scope subject, String purpose) {
        byte[] head = ByteBuffer.allocate(HEAD)
                .put((byte) VERSION)
                .put((byte) content.secret())
                .put((byte) content.mode().code())
                .putLong(content.expiresAtMillis())
                .putLong(content.id().getMostSignificantBits())
                .putLong(content.id().getLeastSignificantBits())
                .array();
        byte[] token = Arrays.copyOf(head, LENGTH);
        byte[] signature = sign(head, secret, subject, purpose);
        System.arraycopy(signature, 0, token, HEAD, signature.length);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(token);
    }

    /** The bytes, or null if the text is no token. */
    static byte @Nullable [] bytes(String text) {
        if (text.length() != TEXT_LENGTH) {
            return null;
        }
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
        // The last character has two bits that stand for nothing: with others there it would be a second text.
        return bytes.length == LENGTH
                        && Base64.getUrlEncoder()
                                .withoutPadding()
                                .encodeToString(bytes)
                                .equals(text)
                ? bytes
                : null;
    }

    /** What the bytes say, or null if they are no token. */
    static @Nullable Content read(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (buffer.get() != VERSION) {
            return null;
        }
        int secret = Byte.toUnsignedInt(buffer.get());
        TokenMode mode = mode(buffer.get());
        return mode == null
                ? null
                : new Content(secret, mode, buffer.getLong(), new UUID(buffer.getLong(), buffer.getLong()));
    }

    private static @Nullable TokenMode mode(int code) {
        for (TokenMode mode : TokenMode.values()) {
            if (mode.code() == code) {
                return mode;
            }
        }
        return null;
    }

    /** Whether the token was signed with this secret, for this subject and purpose. Takes as long if not. */
    static boolean isSigned(byte[] bytes, TokenSecret secret, Scope subject, String purpose) {
        byte[] expected = sign(Arrays.copyOf(bytes, HEAD), secret, subject, purpose);
        return MessageDigest.isEqual(expected, Arrays.copyOfRange(bytes, HEAD, LENGTH));
    }

    private static byte[] sign(byte[] head, TokenSecret secret, Scope subject, String purpose) {
        byte[] name = purpose.getBytes(StandardCharsets.UTF_8);
        Mac mac = secret.mac();
        mac.update(LABEL);
        mac.update(head);
        mac.update(subject.toBytes());
        mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(name.length).flip());
        mac.update(name);
        return mac.doFinal();
    }
}
