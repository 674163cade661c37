package io.oncegate.core.key;

import io.oncegate.core.error.InvalidKeyException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Who asks: a tenant, a user, a consumer. Part of every key, so that one caller never meets another caller's record.
 * Immutable. {@link #global()} has to be said aloud; there is no default.
 */
public final class Scope {
    /** The most characters a part may have. */
    public static final int MAX_PART_LENGTH = 1024;

    private static final Scope GLOBAL = new Scope(List.of());

    private final List<String> parts;

    private Scope(List<String> parts) {
        this.parts = parts;
    }

    /**
     * The scope that these parts name together, in their order, for example tenant and user.
     *
     * @throws InvalidKeyException if there is no part, or one is blank, over-long or no valid Unicode
     */
    public static Scope of(String... parts) {
        if (parts.length == 0) {
            throw new InvalidKeyException(
                    "a scope needs a part; say Scope.global() if all callers share one key space");
        }
        return new Scope(checked(parts));
    }

    private static List<String> checked(String... parts) {
        for (String part : parts) {
            if (part == null || part.isBlank()) {
                throw new InvalidKeyException("a scope part is missing or blank; name the caller");
            }
            if (part.length() > MAX_PART_LENGTH) {
                throw new InvalidKeyException(
                        "a scope part has more than " + MAX_PART_LENGTH + " characters; shorten it");
            }
            Digests.utf8(part, "a scope part");
        }
        return List.of(parts);
    }

    /**
     * The scope of these parts within this one, for example of one resource within the caller's: its parts stand behind
     * this scope's. Without a part it is this scope.
     *
     * @throws InvalidKeyException if a part is blank, over-long or no valid Unicode
     */
    public Scope and(String... more) {
        List<String> all = new ArrayList<>(parts);
        all.addAll(checked(more));
        return all.isEmpty() ? GLOBAL : new Scope(List.copyOf(all));
    }

    /** The one scope that all callers share. */
    public static Scope global() {
        return GLOBAL;
    }

    List<String> parts() {
        return parts;
    }

    /**
     * The number of the parts, and each part in UTF-8 behind its length: no two scopes have the same bytes. In the clear: to
     * be digested, not to be shown or stored.
     */
    public byte[] toBytes() {
        List<byte[]> texts =
                parts.stream().map(part -> Digests.utf8(part, "a scope part")).toList();
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES
                        + texts.stream()
                                .mapToInt(text -> Integer.BYTES + text.length)
                                .sum())
                .putInt(texts.size());
        texts.forEach(text -> bytes.putInt(text.length).put(text));
        return bytes.array();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Scope scope && scope.parts.equals(parts);
    }

    @Override
    public int hashCode() {
        return parts.hashCode();
    }

    /** Says how many parts there are and never what they are: a scope often is a person. */
    @Override
    public String toString() {
        return "Scope[" + parts.size() + " parts]";
    }
}
