package io.oncegate.core.key;

import io.oncegate.core.error.InvalidKeyException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What makes two requests the same: operation, scope and the caller's value. Compared byte for byte. Immutable; its text
 * forms show a digest and never the value.
 */
public final class OperationKey {
    /** The most UTF-8 bytes that a value may have. */
    public static final int MAX_VALUE_BYTES = 16 * 1024;

    private static final Pattern OPERATION = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,99}");

    private final String operation;
    private final Scope scope;
    private final String value;
    private final RecordId id;

    private OperationKey(String operation, Scope scope, String value, RecordId id) {
        this.operation = operation;
        this.scope = scope;
        this.value = value;
        this.id = id;
    }

    /**
     * Creates the key.
     *
     * @param operation stable name of the business action, see {@link #requireOperationName}
     * @param scope who asks
     * @param value the caller's value, not blank, at most {@value #MAX_VALUE_BYTES} UTF-8 bytes
     * @throws InvalidKeyException if one of them cannot be used
     */
    public static OperationKey of(String operation, Scope scope, String value) {
        requireOperationName(operation);
        if (value == null || value.isBlank()) {
            throw new InvalidKeyException("the key of operation " + operation + " is missing or blank; send one");
        }
        if (value.length() > MAX_VALUE_BYTES) {
            throw tooLong(operation);
        }
        byte[] bytes = Digests.utf8(value, "the key of operation " + operation);
        if (bytes.length > MAX_VALUE_BYTES) {
            throw tooLong(operation);
        }
        return new OperationKey(operation, scope, value, recordId(operation, scope, value, bytes));
    }

    /**
     * Checks an operation's name: 1 to 100 of the characters A-Z, a-z, 0-9, dot, underscore, colon and hyphen, beginning
     * with a letter or digit.
     *
     * @return the name
     * @throws InvalidKeyException if it is something else
     */
    public static String requireOperationName(String operation) {
        if (operation == null || !OPERATION.matcher(operation).matches()) {
            throw new InvalidKeyException("an operation name has 1 to 100 of the characters A-Z a-z 0-9 . _ : - and"
                    + " begins with a letter or digit, like order.create");
        }
        return operation;
    }

    private static InvalidKeyException tooLong(String operation) {
        return new InvalidKeyException("the key of operation " + operation + " has more than " + MAX_VALUE_BYTES
                + " bytes; send a shorter one, such as a UUID");
    }

    private static RecordId recordId(String operation, Scope scope, String value, byte[] valueBytes) {
        MessageDigest digest = Digests.sha256();
        Digests.update(digest, Digests.utf8(operation, "an operation name"));
        digest.update(
                ByteBuffer.allocate(Integer.BYTES).putInt(scope.parts().size()).flip());
        for (String part : scope.parts()) {
            Digests.update(digest, Digests.utf8(part, "a scope part"));
        }
        Digests.update(digest, valueBytes);
        return RecordId.of(BirthTime.of(value), digest.digest());
    }

    /** The operation's name. */
    public String operation() {
        return operation;
    }

    /** Who asks. */
    public Scope scope() {
        return scope;
    }

    /** The caller's value, in the clear: not for logs. */
    public String value() {
        return value;
    }

    /** The digest under which stores keep this key's record. */
    public RecordId id() {
        return id;
    }

    /** The moment at which the value says it was made, if it is a UUID of version 7 or a ULID. */
    public Optional<Instant> bornAt() {
        return BirthTime.of(value);
    }

    /** A short digest for logs and messages. */
    public String digest() {
        return id.shortForm();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OperationKey key && key.id.equals(id);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    @Override
    public String toString() {
        return operation + "#" + digest();
    }
}
