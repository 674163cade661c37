package io.oncegate.spring.internal;

import io.oncegate.core.key.OperationKey;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Principal;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Makes the text of a key from a value, and refuses values whose text many callers would share. */
public final class KeyText {
    private KeyText() {}

    /** Whether there is no key at all: null, empty or blank. */
    public static boolean isMissing(@Nullable Object value) {
        Object inner = unwrapped(value);
        return inner == null
                || (inner instanceof CharSequence text && text.toString().isBlank());
    }

    /**
     * The text.
     *
     * @throws UnusableException if the value is null, blank, the text {@code null}, or has no content of its own
     */
    public static String of(@Nullable Object value) {
        Object inner = unwrapped(value);
        if (inner == null) {
            throw new UnusableException("is null");
        }
        String simple = inner instanceof Principal principal ? principal.getName() : CanonicalText.simple(inner);
        if (simple != null) {
            return requireMeaning(simple);
        }
        if (isContent(inner)) {
            return ofContent(inner);
        }
        return ofOwnText(inner);
    }

    private static @Nullable Object unwrapped(@Nullable Object value) {
        Object inner = value;
        while (inner instanceof Optional<?> optional) {
            inner = optional.orElse(null);
        }
        if (inner instanceof OptionalInt optional) {
            return optional.isPresent() ? optional.getAsInt() : null;
        } else if (inner instanceof OptionalLong optional) {
            return optional.isPresent() ? optional.getAsLong() : null;
        }
        return inner;
    }

    private static String requireMeaning(String text) {
        if (text.isBlank()) {
            throw new UnusableException("is blank");
        }
        if (text.equals("null")) {
            throw new UnusableException("is the text \"null\", which is what a missing value becomes as text");
        }
        return text;
    }

    static boolean isContent(Object value) {
        return value.getClass().isArray()
                || value instanceof Collection
                || value instanceof Map
                || value.getClass().isRecord();
    }

    private static String ofContent(Object value) {
        boolean empty = (value instanceof Collection<?> collection && collection.isEmpty())
                || (value instanceof Map<?, ?> map && map.isEmpty())
                || (value.getClass().isArray() && java.lang.reflect.Array.getLength(value) == 0);
        if (empty) {
            throw new UnusableException("is empty");
        }
        String text = CanonicalText.withoutNulls(value);
        return text.length() * 3L <= OperationKey.MAX_VALUE_BYTES ? text : "sha256:" + digest(text);
    }

    /** Objects that say who they are, such as a class OrderId with a toString of its own. */
    private static String ofOwnText(Object value) {
        Class<?> type = value.getClass();
        try {
            if (type.isHidden() || type.getMethod("toString").getDeclaringClass() == Object.class) {
                throw new UnusableException("is a " + type.getName()
                        + " without a toString of its own, so its text is its identity; name a property of it");
            }
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("every object has toString", e);
        }
        String text = String.valueOf(value.toString());
        if (text.contains("@" + Integer.toHexString(System.identityHashCode(value)))
                || text.contains("@" + Integer.toHexString(value.hashCode()))) {
            throw new UnusableException(
                    "is a " + type.getName() + " whose text is its identity; name a property of it");
        }
        if (text.contains("null")) {
            throw new UnusableException("is a " + type.getName() + " whose text contains null; name a property of it");
        }
        return requireMeaning(text);
    }

    private static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
