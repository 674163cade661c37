package io.oncegate.spring.token;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads a JSON object whose members all are text, and nothing else: RFC 8259, UTF-8. Not thread-safe. */
final class FlatJson {
    /** The text is something else; the message says what, without showing any of it. */
    static final class NotFlatException extends Exception {
        private static final long serialVersionUID = 1L;

        NotFlatException(String message) {
            super(message, null, false, false);
        }
    }

    private final String text;
    private int at;

    private FlatJson(String text) {
        this.text = text;
    }

    /** The members by their names, in their order. */
    static Map<String, String> read(byte[] bytes) throws NotFlatException {
        try {
            return new FlatJson(StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes))
                            .toString())
                    .object();
        } catch (CharacterCodingException e) {
            throw new NotFlatException("The body is not UTF-8.");
        }
    }

    private Map<String, String> object() throws NotFlatException {
        Map<String, String> members = new LinkedHashMap<>();
        expect('{', "The body is not a JSON object.");
        if (next() == '}') {
            at++;
        } else {
            do {
                String name = string();
                expect(':', "The body is not a JSON object.");
                if (members.put(name, string()) != null) {
                    throw new NotFlatException("The body has a member twice.");
                }
            } while (more());
        }
        if (next() != 0) {
            throw new NotFlatException("Something follows the JSON object in the body.");
        }
        return members;
    }

    private boolean more() throws NotFlatException {
        char c = next();
        at++;
        if (c == ',') {
            return true;
        }
        if (c != '}') {
            throw new NotFlatException("The JSON object in the body does not end.");
        }
        return false;
    }

    /** The next character that is no white space; 0 at the end. */
    private char next() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    private void expect(char c, String message) throws NotFlatException {
        if (next() != c) {
            throw new NotFlatException(message);
        }
        at++;
    }

    private String string() throws NotFlatException {
        expect('"', "A member of the JSON object in the body is not text.");
        StringBuilder value = new StringBuilder();
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"') {
                return value.toString();
            }
            if (c < ' ') {
                break;
            }
            value.append(c == '\\' ? escaped() : c);
        }
        throw new NotFlatException("A text in the body does not end.");
    }

    private char escaped() throws NotFlatException {
        char c = at < text.length() ? text.charAt(at++) : 0;
        if (c == 'u' && at + 4 <= text.length()) {
            String digits = text.substring(at, at + 4);
            if (digits.chars().allMatch(digit -> Character.digit(digit, 16) >= 0 && digit < 128)) {
                at += 4;
                return (char) Integer.parseInt(digits, 16);
            }
        }
        int known = "\"\\/bfnrt".indexOf(c);
        if (c == 0 || known < 0) {
            throw new NotFlatException("A text in the body has an escape that JSON does not have.");
        }
        return "\"\\/\b\f\n\r\t".charAt(known);
    }
}
