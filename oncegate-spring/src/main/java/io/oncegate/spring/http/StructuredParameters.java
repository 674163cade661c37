package io.oncegate.spring.http;

/** Recognises the parameters of a structured field's item (RFC 8941, section 3.1.2), whose meaning does not matter here. */
final class StructuredParameters {
    private final String in;
    private int at;

    private StructuredParameters(String in, int at) {
        this.in = in;
        this.at = at;
    }

    /** Whether from here on there is nothing but well-formed parameters, perhaps none. */
    static boolean areWellFormed(String value, int from) {
        StructuredParameters reader = new StructuredParameters(value, from);
        while (reader.at < value.length()) {
            if (!reader.parameter()) {
                return false;
            }
        }
        return true;
    }

    private boolean parameter() {
        if (!skip(';')) {
            return false;
        }
        while (skip(' ')) {
            continue;
        }
        if (!has(peek(), "*") && !isLower(peek())) {
            return false;
        }
        while (isLower(peek()) || isDigit(peek()) || has(peek(), "_-.*")) {
            at++;
        }
        return !skip('=') || bareItem();
    }

    private boolean bareItem() {
        if (skip('"')) {
            return string();
        }
        if (skip('?')) {
            return skip('0') || skip('1');
        }
        if (skip(':')) {
            return taken(true, "+/=") && skip(':');
        }
        if (skip('-') || isDigit(peek())) {
            return taken(false, ".");
        }
        return (isLetter(peek()) || peek() == '*') && taken(true, "!#$%&'*+-.^_`|~:/");
    }

    private boolean string() {
        while (at < in.length()) {
            char c = in.charAt(at++);
            if (c == '"') {
                return true;
            }
            if (c < ' ' || c > '~' || (c == '\\' && !skip('"') && !skip('\\'))) {
                return false;
            }
        }
        return false;
    }

    private boolean taken(boolean letters, String others) {
        int start = at;
        while (isDigit(peek()) || (letters && isLetter(peek())) || has(peek(), others)) {
            at++;
        }
        return at > start;
    }

    private char peek() {
        return at < in.length() ? in.charAt(at) : 0;
    }

    private boolean skip(char c) {
        if (at < in.length() && in.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    private static boolean has(char c, String characters) {
        return c != 0 && characters.indexOf(c) >= 0;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isLower(char c) {
        return c >= 'a' && c <= 'z';
    }

    private static boolean isLetter(char c) {
        return isLower(c) || (c >= 'A' && c <= 'Z');
    }
}
