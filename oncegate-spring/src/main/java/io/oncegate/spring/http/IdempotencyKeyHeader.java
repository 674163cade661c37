package io.oncegate.spring.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the header that carries a request's key: a string of a structured field (RFC 8941, sections 3.3.3 and 4.2.5), such
 * as {@code Idempotency-Key: "8e03978e-40d5-43dd-bc93-6894a57f9324"}. Parameters behind the string are ignored. In the
 * lenient mode, which is the default, a bare token without the quotes is accepted too and means the same key. Never throws,
 * whatever it is given. Immutable.
 */
public final class IdempotencyKeyHeader implements KeySource {
    /** The header's name, unless said otherwise. */
    public static final String DEFAULT_NAME = "Idempotency-Key";

    /** The most characters that a key may have, unless said otherwise. */
    public static final int DEFAULT_MAX_LENGTH = 255;

    private static final int LONGEST = 4096;

    private final String name;
    private final int maxLength;
    private final boolean strict;

    private IdempotencyKeyHeader(String name, int maxLength, boolean strict) {
        this.name = name;
        this.maxLength = maxLength;
        this.strict = strict;
    }

    /** Accepts the string and the bare token. */
    public static IdempotencyKeyHeader lenient() {
        return new IdempotencyKeyHeader(DEFAULT_NAME, DEFAULT_MAX_LENGTH, false);
    }

    /** Accepts the string alone. */
    public static IdempotencyKeyHeader strict() {
        return new IdempotencyKeyHeader(DEFAULT_NAME, DEFAULT_MAX_LENGTH, true);
    }

    /** The same under another header name. */
    public IdempotencyKeyHeader named(String name) {
        return new IdempotencyKeyHeader(HeaderRules.requireName(name), maxLength, strict);
    }

    /** The same with another limit, 1 to 4,096 characters. */
    public IdempotencyKeyHeader maxLength(int maxLength) {
        if (maxLength < 1 || maxLength > LONGEST) {
            throw new IllegalArgumentException("a key's limit is 1 to " + LONGEST + " characters, not " + maxLength);
        }
        return new IdempotencyKeyHeader(name, maxLength, strict);
    }

    /** The header's name. */
    public String name() {
        return name;
    }

    @Override
    public KeyReading read(KeyRequest request) {
        return read(request.headers(name));
    }

    @Override
    public boolean needsBody() {
        return false;
    }

    @Override
    public boolean mayBlock() {
        return false;
    }

    @Override
    public String description() {
        return "the header " + name;
    }

    /**
     * Reads the header.
     *
     * @param values the values of all header lines of this name, in their order
     */
    public KeyReading read(List<String> values) {
        if (values.isEmpty()) {
            return new KeyReading.Missing();
        }
        if (values.size() > 1) {
            return invalid("stands in the request " + values.size() + " times; send it once");
        }
        String value = trimmed(values.get(0));
        if (value.isEmpty()) {
            return invalid("is blank; send a new key for each new request, such as a UUID");
        }
        return value.charAt(0) == '"' ? quoted(value) : bare(value);
    }

    private KeyReading quoted(String value) {
        StringBuilder key = new StringBuilder();
        int at = 1;
        while (at < value.length()) {
            char c = value.charAt(at++);
            if (c == '"') {
                return afterString(key, value, at);
            }
            if (c == '\\') {
                if (at == value.length() || (value.charAt(at) != '"' && value.charAt(at) != '\\')) {
                    return invalid(
                            "has a backslash that is not followed by a quote or a backslash; correct the string");
                }
                c = value.charAt(at++);
            }
            if (c < ' ' || c > '~') {
                return invalid("has a character outside printable ASCII; send a UUID or another ASCII string");
            }
            key.append(c);
        }
        return invalid("has no closing quote; send a string in double quotes");
    }

    private KeyReading afterString(StringBuilder key, String value, int at) {
        if (at < value.length() && trimmed(value.substring(at)).startsWith(",")) {
            return invalid("holds more than one key; send it once, with one key");
        }
        if (!StructuredParameters.areWellFormed(value, at)) {
            return invalid("has more behind the closing quote; send one string in double quotes and nothing else");
        }
        return checked(key.toString());
    }

    private KeyReading bare(String value) {
        if (strict) {
            return invalid("is no string of a structured field; put the key in double quotes");
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == ',') {
                return invalid("holds more than one key; send it once, with one key");
            }
            if (c <= ' ' || c > '~' || c == '"' || c == ';' || c == '\\') {
                return invalid("has a character that stands only between double quotes, or not at all;"
                        + " send a UUID or another ASCII string in double quotes");
            }
        }
        return checked(value);
    }

    private KeyReading checked(String key) {
        if (key.isBlank()) {
            return invalid("is blank; send a new key for each new request, such as a UUID");
        }
        if (key.length() > maxLength) {
            return invalid("has more than " + maxLength + " characters; send a shorter key, such as a UUID");
        }
        return new KeyReading.Found(key);
    }

    private KeyReading invalid(String what) {
        return new KeyReading.Invalid("The header " + name + " " + what + ".");
    }

    private static String trimmed(@Nullable String value) {
        if (value == null) {
            return "";
        }
        int from = 0;
        int to = value.length();
        while (from < to && isSpace(value.charAt(from))) {
            from++;
        }
        while (to > from && isSpace(value.charAt(to - 1))) {
            to--;
        }
        return value.substring(from, to);
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }
}
