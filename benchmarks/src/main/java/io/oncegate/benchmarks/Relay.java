package io.oncegate.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stands between a client and its server, and counts round trips: how often the client speaks after the server has. Exact
 * for clients that wait for each answer. Nothing is measured through it. Thread-safe.
 */
final class Relay implements AutoCloseable {
    private final ServerSocket listener;
    private final String host;
    private final int port;
    private final AtomicLong trips = new AtomicLong();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    Relay(String host, int port) {
        this.host = host;
        this.port = port;
        try {
            this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("relay", this::accept);
    }

    /** Where it listens, on the loopback address. */
    int port() {
        return listener.getLocalPort();
    }

    /** The round trips so far, on all connections. */
    long trips() {
        return trips.get();
    }

    private interface Io {
        void run() throws IOException;
    }

    private static void start(String name, Io io) {
        Thread thread = new Thread(
                () -> {
                    try {
                        io.run();
                    } catch (IOException ignored) {
                        // One of the two has closed its socket: so ends every connection.
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            Socket server = new Socket(host, port);
            sockets.addAll(List.of(client, server));
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            Line line = new Line();
            start("relay-to-server", () -> pass(client, server, line::asked));
            start("relay-to-client", () -> pass(server, client, line::answered));
        }
    }

    private static void pass(Socket from, Socket to, Runnable seen) throws IOException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[64 * 1024];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                seen.run();
                out.write(buffer, 0, n);
            }
        }
    }

    /** One connection: whose turn it is to speak. */
    private final class Line {
        private volatile boolean clientsTurn = true;

        void asked() {
            if (clientsTurn) {
                clientsTurn = false;
                trips.incrementAndGet();
            }
        }

        void answered() {
            clientsTurn = true;
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
