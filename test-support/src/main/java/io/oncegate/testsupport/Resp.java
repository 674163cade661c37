package io.oncegate.testsupport;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Sends one inline command to a Redis server on its own connection: enough to set servers up. */
final class Resp {

    private static final int TIMEOUT_MILLIS = 20_000;

    private Resp() {}

    /** The reply as text: a status, a number, or a bulk string; an error reply begins with a minus sign. */
    static String send(String host, int port, String command) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
            InputStream in = new BufferedInputStream(socket.getInputStream());
            String line = line(in);
            if (line.startsWith("$")) {
                int length = Integer.parseInt(line.substring(1));
                return length < 0 ? "" : new String(in.readNBytes(length), StandardCharsets.UTF_8);
            }
            return line.startsWith("-") ? line : line.substring(1);
        }
    }

    /** As {@link #send}, but an error reply is an exception. */
    static void require(String host, int port, String command) throws IOException {
        String reply = send(host, port, command);
        if (reply.startsWith("-")) {
            throw new IOException(reply);
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\r'; c = in.read()) {
            if (c < 0) {
                throw new IOException("Connection closed");
            }
            line.append((char) c);
        }
        if (in.read() != '\n' || line.isEmpty()) {
            throw new IOException("Not a reply: " + line);
        }
        return line.toString();
    }
}
