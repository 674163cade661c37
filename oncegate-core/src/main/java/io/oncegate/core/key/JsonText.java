package io.oncegate.core.key;

import io.oncegate.core.error.InvalidJsonException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON (RFC 8259) and writes its canonical form: members in the order of their names' code units, no white space,
 * shortest escapes, numbers by exact value as digits and exponent. It is small so that the core needs no JSON library;
 * it is linear in the text, and bounded in depth.
 *
 * <p>Tree: {@code Map}, {@code List}, {@code String}, {@link Num}, {@code Boolean}, {@link #NULL}.
 */
final class JsonText {
    static final Object MISSING = new Object();
    static final Object NULL = new Object();
    static final int MAX_DEPTH = 200;

    /** A number's canonical text. */
    record Num(String text) {}

    private final String in;
    private int at;

    private JsonText(String in) {
        this.in = in;
    }

    static Object parse(String json) {
        JsonText reader = new JsonText(json);
        Object value = reader.value(0);
        reader.space();
        if (reader.at < json.length()) {
            throw reader.wrong("nothing more");
        }
        return value;
    }

    static Object at(Object root, String pointer) {
        if (pointer.isEmpty()) {
            return root;
        }
        if (pointer.charAt(0) != '/') {
            throw new IllegalArgumentException("a JSON pointer begins with a slash: " + pointer);
        }
        Object value = root;
        for (String token : pointer.substring(1).split("/", -1)) {
            String name = token.replace("~1", "/").replace("~0", "~");
            if (value instanceof Map<?, ?> map && map.containsKey(name)) {
                value = present(map.get(name));
            } else if (value instanceof List<?> list
                    && name.matches("0|[1-9][0-9]{0,8}")
                    && Integer.parseInt(name) < list.size()) {
                value = present(list.get(Integer.parseInt(name)));
            } else {
                return MISSING;
            }
        }
        return value;
    }

    private static Object present(@Nullable Object value) {
        return value == null ? MISSING : value;
    }

    static String canonical(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map<?, ?> map) {
            char separator = '{';
            for (Map.Entry<?, ?> member : map.entrySet()) {
                out.append(separator);
                writeString(String.valueOf(member.getKey()), out);
                out.append(':');
                write(present(member.getValue()), out);
                separator = ',';
            }
            out.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof List<?> list) {
            char separator = '[';
            for (Object element : list) {
                out.append(separator);
                write(present(element), out);
                separator = ',';
            }
            out.append(list.isEmpty() ? "[]" : "]");
        } else if (value instanceof String text) {
            writeString(text, out);
        } else if (value instanceof Num number) {
            out.append(number.text());
        } else {
            out.append(value == NULL ? "null" : value.toString());
        }
    }

    private static void writeString(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || isLoneSurrogate(text, i)) {
                // An unpaired surrogate has no UTF-8 form: unescaped, all of them would become the same '?'.
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    private static boolean isLoneSurrogate(String text, int i) {
        char c = text.charAt(i);
        if (Character.isHighSurrogate(c)) {
            return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
        }
        return Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
    }

    private Object value(int depth) {
        if (depth > MAX_DEPTH) {
            throw new InvalidJsonException("JSON is nested deeper than " + MAX_DEPTH + "; send a flatter document");
        }
        space();
        char c = peek();
        switch (c) {
            case '{':
                return object(depth);
            case '[':
                return array(depth);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", NULL);
            default:
                return number();
        }
    }

    private Object object(int depth) {
        Map<String, Object> members = new TreeMap<>();
        at++;
        space();
        if (skip('}')) {
            return members;
        }
        do {
            space();
            if (peek() != '"') {
                throw wrong("a member name");
            }
            int start = at;
            String name = string();
            space();
            expect(':');
            if (members.put(name, value(depth + 1)) != null) {
                throw new InvalidJsonException("JSON names a member twice at position " + start + "; name it once");
            }
            space();
        } while (skip(','));
        expect('}');
        return members;
    }

    private Object array(int depth) {
        List<Object> elements = new ArrayList<>();
        at++;
        space();
        if (skip(']')) {
            return elements;
        }
        do {
            elements.add(value(depth + 1));
            space();
        } while (skip(','));
        expect(']');
        return elements;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        at++;
        while (true) {
            char c = peek();
            at++;
            if (c == '"') {
                return out.toString();
            } else if (c == '\\') {
                out.append(escape());
            } else if (c < ' ') {
                at--;
                throw wrong("an escaped control character");
            } else {
                out.append(c);
            }
        }
    }

    private char escape() {
        char c = peek();
        at++;
        switch (c) {
            case '"', '\\', '/':
                return c;
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                int code = 0;
                for (int i = 0; i < 4; i++) {
                    int digit = peek() < 128 ? Character.digit(peek(), 16) : -1;
                    if (digit < 0) {
                        throw wrong("four hexadecimal digits");
                    }
                    code = code << 4 | digit;
                    at++;
                }
                return (char) code;
            default:
                at--;
                throw wrong("an escape");
        }
    }

    private Num number() {
        boolean negative = skip('-');
        int intStart = at;
        if (!skip('0')) {
            digits();
        }
        String integer = in.substring(intStart, at);
        String fraction = "";
        if (skip('.')) {
            int start = at;
            digits();
            fraction = in.substring(start, at);
        }
        BigInteger exponent = BigInteger.ZERO;
        if (skip('e') || skip('E')) {
            boolean minus = !skip('+') && skip('-');
            int start = at;
            digits();
            exponent = exponent(in.substring(start, at));
            exponent = minus ? exponent.negate() : exponent;
        }
        return canonicalNumber(negative, integer + fraction, exponent.subtract(BigInteger.valueOf(fraction.length())));
    }

    private BigInteger exponent(String digits) {
        int start = 0;
        while (start < digits.length() - 1 && digits.charAt(start) == '0') {
            start++;
        }
        if (digits.length() - start > 18) {
            throw new InvalidJsonException(
                    "JSON has a number with an exponent of more than 18 digits at position " + at);
        }
        return new BigInteger(digits.substring(start));
    }

    /** Digits without zeros at either end, and the power of ten of the last one: one text per exact value. */
    private static Num canonicalNumber(boolean negative, String digits, BigInteger exponent) {
        int start = 0;
        while (start < digits.length() && digits.charAt(start) == '0') {
            start++;
        }
        int end = digits.length();
        while (end > start && digits.charAt(end - 1) == '0') {
            end--;
        }
        if (start == end) {
            return new Num("0");
        }
        BigInteger power = exponent.add(BigInteger.valueOf(digits.length() - end));
        return new Num((negative ? "-" : "") + digits.substring(start, end) + "e" + power);
    }

    private void digits() {
        int start = at;
        while (at < in.length() && in.charAt(at) >= '0' && in.charAt(at) <= '9') {
            at++;
        }
        if (at == start) {
            throw wrong("a value");
        }
    }

    private Object word(String word, Object value) {
        if (!in.startsWith(word, at)) {
            throw wrong("a value");
        }
        at += word.length();
        return value;
    }

    private void space() {
        while (at < in.length() && " \t\r\n".indexOf(in.charAt(at)) >= 0) {
            at++;
        }
    }

    private boolean skip(char c) {
        if (at < in.length() && in.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    private void expect(char c) {
        if (!skip(c)) {
            throw wrong("'" + c + "'");
        }
    }

    private char peek() {
        if (at >= in.length()) {
            throw wrong("more");
        }
        return in.charAt(at);
    }

    private InvalidJsonException wrong(String expected) {
        return new InvalidJsonException(
                "not JSON: expected " + expected + " at position " + at + "; correct the document");
    }
}
