package io.oncegate.benchmarks.http;

import io.oncegate.spring.http.HeaderRules;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * One connection that is kept alive, and sends the same order again and again. It takes as little of the processor as a
 * client can: what the client costs is on both sides of a ratio, and brings it nearer to 1. Used by one thread.
 */
public final class OrderClient implements AutoCloseable {
    private static final int SIZE = 300;
    private static final String BODY = body();
    private static final byte[] BODY_BYTES = BODY.getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_ANSWER = 8192;

    /** Generous: on a machine that is busy otherwise a row should be slow, not fail. */
    private static final int TIMEOUT_MILLIS = 20_000;

    private final Socket socket;
    private final InputStream in;
    private final String head;
    private final byte[] buffer = new byte[MAX_ANSWER];

    /** What is asked for is answered in the same size. */
    private static String body() {
        String start = "{\"sessionId\":1,\"quantity\":2,\"note\":\"";
        return start + "n".repeat(SIZE - start.length() - 2) + "\"}";
    }

    /**
     * Connects.
     *
     * @param path of the handler
     */
    public OrderClient(OrderServer server, String path) throws IOException {
        this.socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        this.in = socket.getInputStream();
        this.head =
                "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
                        + BODY_BYTES.length + "\r\n";
    }

    /**
     * Sends the order with one header more, and reads the whole answer.
     *
     * @return whether it was a replay
     * @throws IOException if the answer is another than 200 with the body that was asked for
     */
    public boolean post(String header, String value) throws IOException {
        byte[] start = (head + header + ": " + value + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        byte[] request = Arrays.copyOf(start, start.length + BODY_BYTES.length);
        System.arraycopy(BODY_BYTES, 0, request, start.length, BODY_BYTES.length);
        socket.getOutputStream().write(request);
        return read();
    }

    private boolean read() throws IOException {
        int filled = 0;
        int end = -1;
        while (end < 0) {
            filled = more(filled);
            end = headEnd(filled);
        }
        String answer = new String(buffer, 0, end, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
        int length = length(answer);
        while (filled < end + length) {
            filled = more(filled);
        }
        if (!answer.startsWith("http/1.1 200") || length != SIZE || filled != end + length) {
            // The answer is one of our own servers, and has no key in it.
            throw new IOException("Another answer: " + new String(buffer, 0, filled, StandardCharsets.ISO_8859_1));
        }
        return answer.contains("\r\n" + HeaderRules.REPLAYED.toLowerCase(Locale.ROOT) + ": true\r\n");
    }

    private int more(int filled) throws IOException {
        int read = filled == buffer.length ? -1 : in.read(buffer, filled, buffer.length - filled);
        if (read < 0) {
            throw new EOFException("The answer was cut off, or is longer than " + MAX_ANSWER + " bytes");
        }
        return filled + read;
    }

    /** Where the body begins, -1 if that has not come yet. */
    private int headEnd(int filled) {
        for (int i = 3; i < filled; i++) {
            if (buffer[i] == '\n' && buffer[i - 1] == '\r' && buffer[i - 2] == '\n' && buffer[i - 3] == '\r') {
                return i + 1;
            }
        }
        return -1;
    }

    private static int length(String head) throws IOException {
        String name = "\r\ncontent-length:";
        int at = head.indexOf(name);
        if (at < 0) {
            throw new IOException("An answer without its length: " + head);
        }
        int from = at + name.length();
        return Integer.parseInt(head.substring(from, head.indexOf("\r\n", from)).strip());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
