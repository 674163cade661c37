package io.oncegate.core.key;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * The birth time that a key's value may carry: the first 48 bits of a UUID of version 7 (RFC 9562, section 5.7) or of a
 * ULID (26 characters of Crockford's base 32), in milliseconds since 1970.
 */
final class BirthTime {
    private static final String CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

    private BirthTime() {}

    static Optional<Instant> of(String value) {
        return switch (value.length()) {
            case 36 -> ofUuid(value);
            case 26 -> ofUlid(value);
            default -> Optional.empty();
        };
    }

    private static Optional<Instant> ofUuid(String value) {
        for (int i = 0; i < 36; i++) {
            boolean hyphen = i == 8 || i == 13 || i == 18 || i == 23;
            if (hyphen ? value.charAt(i) != '-' : Character.digit(value.charAt(i), 16) < 0 || value.charAt(i) > 'f') {
                return Optional.empty();
            }
        }
        UUID uuid = UUID.fromString(value);
        if (uuid.version() != 7 || uuid.variant() != 2) {
            return Optional.empty();
        }
        return Optional.of(Instant.ofEpochMilli(uuid.getMostSignificantBits() >>> 16));
    }

    private static Optional<Instant> ofUlid(String value) {
        long millis = 0;
        for (int i = 0; i < 26; i++) {
            char c = value.charAt(i);
            int digit = CROCKFORD.indexOf(c >= 'a' && c <= 'z' ? c - 32 : c);
            if (digit < 0 || (i == 0 && digit > 7)) {
                return Optional.empty();
            }
            if (i < 10) {
                millis = millis << 5 | digit;
            }
        }
        return Optional.of(Instant.ofEpochMilli(millis));
    }
}
