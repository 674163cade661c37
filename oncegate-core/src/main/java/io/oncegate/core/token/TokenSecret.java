package io.oncegate.core.token;

import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A secret that tokens are signed with, and the number by which a token names it. Immutable; its text form does not show it.
 */
public final class TokenSecret {
    /** How few bytes a secret has at least: as many as the signature has. */
    public static final int MIN_BYTES = 32;

    private static final String ALGORITHM = "HmacSHA256";

    private final int id;
    private final SecretKeySpec key;

    private TokenSecret(int id, SecretKeySpec key) {
        this.id = id;
        this.key = key;
    }

    /**
     * A secret.
     *
     * @param id its number, 0 to 255; a new secret gets a number that no secret had before it
     * @param secret {@value #MIN_BYTES} bytes or more from a secure random source, the same on all nodes; copied
     * @throws IllegalArgumentException if the number or the length cannot be used
     */
    public static TokenSecret of(int id, byte[] secret) {
        if (id < 0 || id > 255) {
            throw new IllegalArgumentException("a token secret has a number from 0 to 255, not " + id);
        }
        if (secret.length < MIN_BYTES) {
            throw new IllegalArgumentException("token secret " + id + " has " + secret.length + " bytes; take "
                    + MIN_BYTES + " or more from a secure random source");
        }
        return new TokenSecret(id, new SecretKeySpec(secret, ALGORITHM));
    }

    /** The number. */
    public int id() {
        return id;
    }

    Mac mac() {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac;
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
    }

    /** The number alone. */
    @Override
    public String toString() {
        return "TokenSecret[" + id + "]";
    }
}
