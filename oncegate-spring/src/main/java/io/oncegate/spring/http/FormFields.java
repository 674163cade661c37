package io.oncegate.spring.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads {@code application/x-www-form-urlencoded} text: a query, or the body of a form. */
public final class FormFields {
    /** The most fields that a form may have. */
    public static final int MAX_FIELDS = 10_000;

    /** One field; a name may stand in a form more than once. */
    public record Field(String name, String value) {}

    private FormFields() {}

    /**
     * The fields, in their order.
     *
     * @param charset of the escaped bytes
     * @throws BadBodyException if an escape is malformed, or there are too many fields
     */
    public static List<Field> parse(String encoded, Charset charset) throws BadBodyException {
        List<Field> fields = new ArrayList<>();
        int from = 0;
        while (from <= encoded.length()) {
            int end = encoded.indexOf('&', from);
            end = end < 0 ? encoded.length() : end;
            if (end > from) {
                if (fields.size() == MAX_FIELDS) {
                    throw new BadBodyException("the form has more than " + MAX_FIELDS + " fields; send fewer");
                }
                int equals = encoded.indexOf('=', from);
                int nameEnd = equals < 0 || equals > end ? end : equals;
                String name = decode(encoded, from, nameEnd, charset);
                fields.add(new Field(name, nameEnd == end ? "" : decode(encoded, nameEnd + 1, end, charset)));
            }
            from = end + 1;
        }
        return fields;
    }

    private static String decode(String in, int from, int to, Charset charset) throws BadBodyException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(to - from);
        for (int i = from; i < to; i++) {
            char c = in.charAt(i);
            if (c == '+') {
                out.write(' ');
            } else if (c == '%') {
                int high = i + 2 < to ? digit(in.charAt(i + 1)) : -1;
                int low = i + 2 < to ? digit(in.charAt(i + 2)) : -1;
                if (high < 0 || low < 0) {
                    throw new BadBodyException(
                            "the form has a percent sign without two hexadecimal digits; escape it as %25");
                }
                out.write(high << 4 | low);
                i += 2;
            } else if (c < 0x80) {
                out.write(c);
            } else {
                out.writeBytes(String.valueOf(c).getBytes(c < 0x100 ? StandardCharsets.ISO_8859_1 : charset));
            }
        }
        return out.toString(charset);
    }

    private static int digit(char c) {
        return c < 0x80 ? Character.digit(c, 16) : -1;
    }
}
