package io.oncegate.boot;

import io.oncegate.core.token.TokenSecret;
import io.oncegate.core.token.WhenFull;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties under {@code oncegate.tokens}. Its text form shows no secret.
 *
 * @param enabled whether there are one-time tokens, by default where a secret is set
 * @param secret what tokens are signed with, in base64: 32 bytes or more from a secure random source, the same on all nodes
 * @param secretNumber the number of the secret, 0 to 255; a new secret gets a number that no secret had before it
 * @param formerSecrets other secrets whose tokens are accepted, by their numbers: former ones, and the next one
 * @param ttl how long a token may be used for the first time
 * @param cap how many unused strict tokens a caller has at most
 * @param whenFull what happens at the cap: the oldest goes, or no token is issued
 * @param giveBack the purposes whose strict tokens are given back when the request has failed with nothing done
 * @param store where strict tokens are kept, unless there is a TokenStore bean
 * @param path where tokens are issued
 * @param purposes the purposes that tokens are issued for over HTTP; without any there is no such endpoint
 */
public record TokenSettings(
        @Nullable Boolean enabled,
        @Nullable String secret,
        @DefaultValue("1") int secretNumber,
        @DefaultValue Map<String, String> formerSecrets,
        @Nullable Duration ttl,
        @Nullable Integer cap,
        @Nullable WhenFull whenFull,
        @DefaultValue List<String> giveBack,
        @DefaultValue("auto") TokenStoreKind store,
        @DefaultValue("/api/tokens") String path,
        @DefaultValue List<String> purposes) {

    /** The secret to sign with. */
    TokenSecret signing() {
        if (secret == null || secret.isBlank()) {
            throw new IllegalArgumentException(
                    "one-time tokens have no secret to be signed with; set oncegate.tokens.secret to" + " "
                            + TokenSecret.MIN_BYTES + " random bytes in base64, or take oncegate.tokens.enabled away");
        }
        return decoded("oncegate.tokens.secret", secretNumber, secret);
    }

    /** The other secrets. */
    List<TokenSecret> accepted() {
        return formerSecrets.entrySet().stream()
                .map(former -> decoded(
                        "oncegate.tokens.former-secrets." + former.getKey(),
                        number(former.getKey()),
                        former.getValue()))
                .toList();
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "oncegate.tokens.former-secrets names each secret by its number, 0 to 255, and not so");
        }
    }

    /** What cannot be decoded is no cause: its message could show a part of the secret. */
    private static TokenSecret decoded(String property, int number, String text) {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(text.strip().replace('-', '+').replace('_', '/'));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(property + " is not base64; encode the secret's bytes");
        }
        try {
            return TokenSecret.of(number, bytes);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(property + ": " + e.getMessage());
        }
    }

    @Override
    public String toString() {
        return "TokenSettings[secretNumber=" + secretNumber + ", ttl=" + ttl + ", store=" + store + ", path=" + path
                + ", purposes=" + purposes + "]";
    }
}
