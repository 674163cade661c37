package io.oncegate.spring.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ContentDisposition;

/**
 * The parts of a {@code multipart/form-data} body (RFC 7578), read in one pass over a buffered body: their content is not
 * copied, only where it lies. Immutable.
 */
public final class MultipartForm {
    /** The most parts that a body may have. */
    public static final int MAX_PARTS = 1000;

    private static final int MAX_HEADER_BYTES = 16 * 1024;

    /**
     * One part.
     *
     * @param name the field's name
     * @param fileName the file's name, or null if it is a plain field
     * @param headers its headers, by name regardless of case
     * @param from where its content begins in the body
     * @param length how many bytes its content has
     */
    public record Part(
            String name, @Nullable String fileName, Map<String, List<String>> headers, long from, long length) {
        /** The value of its content type, or null. */
        public @Nullable String contentType() {
            List<String> values = headers.get("Content-Type");
            return values == null ? null : values.get(0);
        }
    }

    private final List<Part> parts;

    private MultipartForm(List<Part> parts) {
        this.parts = parts;
    }

    /** The parts, in their order. */
    public List<Part> parts() {
        return parts;
    }

    /**
     * Reads a body.
     *
     * @param parameter the parameter {@code boundary} of the content type, with its quotes if it has some
     * @throws BadBodyException if it has another form
     */
    public static MultipartForm parse(BufferedBody body, @Nullable String parameter)
            throws BadBodyException, IOException {
        String boundary = parameter == null ? null : unquoted(parameter);
        if (boundary == null || boundary.isEmpty() || boundary.length() > 200) {
            throw new BadBodyException("the content type names no usable boundary; add the parameter boundary");
        }
        try (InputStream in = body.open()) {
            return new MultipartForm(new Reader(in, boundary).parts());
        }
    }

    private static String unquoted(String text) {
        boolean quoted = text.length() > 1 && text.startsWith("\"") && text.endsWith("\"");
        return quoted ? text.substring(1, text.length() - 1).replaceAll("\\\\(.)", "$1") : text;
    }

    /** Reads byte by byte, looking for the delimiter as Knuth, Morris and Pratt do. */
    private static final class Reader {
        private final InputStream in;
        private final byte[] delimiter;
        private final int[] fallback;
        private final byte[] buffer = new byte[8192];
        private int position;
        private int limit;
        private long at;

        Reader(InputStream in, String boundary) {
            this.in = in;
            this.delimiter = ("\r\n--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
            this.fallback = fallback(delimiter);
        }

        private static int[] fallback(byte[] word) {
            int[] table = new int[word.length];
            for (int i = 1, k = 0; i < word.length; i++) {
                while (k > 0 && word[i] != word[k]) {
                    k = table[k - 1];
                }
                k = word[i] == word[k] ? k + 1 : k;
                table[i] = k;
            }
            return table;
        }

        List<Part> parts() throws IOException, BadBodyException {
            List<Part> parts = new ArrayList<>();
            toDelimiter(2); // the first delimiter may stand at the very beginning, without its line end
            while (!last()) {
                if (parts.size() == MAX_PARTS) {
                    throw new BadBodyException("the body has more than " + MAX_PARTS + " parts; send fewer");
                }
                Map<String, List<String>> headers = headers();
                long from = at;
                toDelimiter(0);
                parts.add(part(headers, from, at - delimiter.length - from));
            }
            return List.copyOf(parts);
        }

        private void toDelimiter(int alreadyMatched) throws IOException, BadBodyException {
            int matched = alreadyMatched;
            while (matched < delimiter.length) {
                int b = next();
                while (matched > 0 && delimiter[matched] != (byte) b) {
                    matched = fallback[matched - 1];
                }
                if (delimiter[matched] == (byte) b) {
                    matched++;
                }
            }
        }

        /** Whether the delimiter just read is the closing one; else reads to the end of its line. */
        private boolean last() throws IOException, BadBodyException {
            int first = next();
            if (first == '-' && next() == '-') {
                return true;
            }
            while (first == ' ' || first == '\t') {
                first = next();
            }
            if (first != '\r' || next() != '\n') {
                throw new BadBodyException("a boundary of the body is followed by something else; correct the body");
            }
            return false;
        }

        private Map<String, List<String>> headers() throws IOException, BadBodyException {
            Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            long end = at + MAX_HEADER_BYTES;
            for (String line = line(end); !line.isEmpty(); line = line(end)) {
                int colon = line.indexOf(':');
                if (colon < 1) {
                    throw new BadBodyException("a part of the body has a malformed header; correct the body");
                }
                headers.computeIfAbsent(line.substring(0, colon).trim(), name -> new ArrayList<>())
                        .add(line.substring(colon + 1).trim());
            }
            return headers;
        }

        private String line(long end) throws IOException, BadBodyException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            while (true) {
                int b = next();
                if (b == '\r') {
                    if (next() != '\n') {
                        throw new BadBodyException("a part of the body has a malformed header; correct the body");
                    }
                    return line.toString(StandardCharsets.UTF_8);
                }
                line.write(b);
                if (at > end) {
                    throw new BadBodyException("a part of the body has over-long headers; shorten them");
                }
            }
        }

        private Part part(Map<String, List<String>> headers, long from, long length) throws BadBodyException {
            List<String> disposition = headers.get("Content-Disposition");
            ContentDisposition parsed;
            try {
                parsed = disposition == null ? null : ContentDisposition.parse(disposition.get(0));
            } catch (IllegalArgumentException e) {
                parsed = null;
            }
            if (parsed == null
                    || parsed.getName() == null
                    || parsed.getType() == null
                    || !parsed.getType().toLowerCase(Locale.ROOT).equals("form-data")) {
                throw new BadBodyException(
                        "a part of the body has no name; give it Content-Disposition: form-data; name=…");
            }
            return new Part(parsed.getName(), parsed.getFilename(), headers, from, Math.max(0, length));
        }

        private int next() throws IOException, BadBodyException {
            if (position == limit) {
                position = 0;
                limit = in.read(buffer);
                if (limit < 1) {
                    throw new BadBodyException("the body ends before its closing boundary; send all of it");
                }
            }
            at++;
            return buffer[position++] & 0xff;
        }
    }
}
