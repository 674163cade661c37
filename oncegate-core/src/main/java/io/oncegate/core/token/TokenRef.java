package io.oncegate.core.token;

import io.oncegate.core.key.Scope;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.UUID;

/**
 * What a store knows of a token: its id, and the SHA-256 digests of its subject and its purpose. No text of a caller's has an
 * influence on a store's names or on how they are compared. Immutable.
 */
public final class TokenRef {
    private final UUID id;
    private final byte[] subject;
    private final byte[] purpose;

    private TokenRef(UUID id, byte[] subject, byte[] purpose) {
        this.id = id;
        this.subject = subject;
        this.purpose = purpose;
    }

    /** The token of this id, for this subject and purpose. */
    public static TokenRef of(UUID id, Scope subject, String purpose) {
        return new TokenRef(
                id, digest("subject", subject.toBytes()), digest("purpose", purpose.getBytes(StandardCharsets.UTF_8)));
    }

    private static byte[] digest(String what, byte[] bytes) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            sha256.update(("oncegate token " + what + "\n").getBytes(StandardCharsets.US_ASCII));
            return sha256.digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** The id, unique among all tokens. */
    public UUID id() {
        return id;
    }

    /** The 16 bytes of the id, big endian. */
    public byte[] idBytes() {
        return ByteBuffer.allocate(16)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .array();
    }

    /** The 32 bytes of the subject's digest, a copy. */
    public byte[] subject() {
        return subject.clone();
    }

    /** The 32 bytes of the purpose's digest, a copy. */
    public byte[] purpose() {
        return purpose.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TokenRef token
                && token.id.equals(id)
                && Arrays.equals(token.subject, subject)
                && Arrays.equals(token.purpose, purpose);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    /** Shows none of the three: an id is half a token. */
    @Override
    public String toString() {
        return "TokenRef";
    }
}
