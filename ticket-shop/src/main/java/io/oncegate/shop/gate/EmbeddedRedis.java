package io.oncegate.shop.gate;

import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.embedded.core.ExecutableProvider;

/**
 * A real Redis of the shop's own, on a free port of 127.0.0.1, that keeps nothing on disk.
 *
 * <p>A small shell process stands between the two. It waits at a pipe that this JVM holds, so that Redis ends and its
 * directory goes with the JVM, however that ends.
 */
final class EmbeddedRedis implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedRedis.class);
    private static final int TRIES = 3;
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final String GUARD = """
            trap '' INT TERM HUP
            directory=$1
            shift
            exec 3<&0
            "$@" </dev/null >/dev/null 2>&1 3<&- &
            read -r line <&3
            kill -TERM $! 2>/dev/null
            wait $!
            rm -rf "$directory"
            """;

    private final Process guard;
    private final int port;

    private EmbeddedRedis(Process guard, int port) {
        this.guard = guard;
        this.port = port;
    }

    static EmbeddedRedis start() {
        for (int tries = 1; ; tries++) {
            EmbeddedRedis redis = launch();
            if (redis.comesUp()) {
                LOG.info("Embedded Redis is listening on 127.0.0.1:{}", redis.port);
                return redis;
            }
            redis.close();
            if (tries == TRIES) {
                throw new IllegalStateException("The embedded Redis does not start on this machine; name another with"
                        + " --shop.redis.uri=redis://host:port");
            }
        }
    }

    private static EmbeddedRedis launch() {
        try {
            Path directory = Files.createTempDirectory("ticket-shop-redis-");
            String program = ExecutableProvider.newJarResourceProvider(directory.toFile())
                    .get()
                    .getAbsolutePath();
            int port = freePort();
            List<String> command = new ArrayList<>(List.of("sh", "-c", GUARD, "ticket-shop-redis-guard"));
            command.add(directory.toString());
            command.addAll(List.of(program, "--port", Integer.toString(port), "--bind", "127.0.0.1"));
            command.addAll(List.of("--dir", directory.toString(), "--save", "", "--appendonly", "no"));
            return new EmbeddedRedis(new ProcessBuilder(command).start(), port);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "The embedded Redis cannot be started; name another with --shop.redis.uri=redis://host:port", e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    RedisURI uri() {
        return RedisURI.create("127.0.0.1", port);
    }

    private boolean comesUp() {
        long deadline = System.nanoTime() + START_NANOS;
        while (System.nanoTime() - deadline < 0 && guard.isAlive()) {
            if (answers()) {
                return true;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(20);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return false;
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
            socket.setSoTimeout(500);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readNBytes(5), StandardCharsets.US_ASCII).equals("+PONG");
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Ends Redis and removes its directory. */
    @Override
    public void close() {
        try {
            guard.getOutputStream().close();
            if (!guard.waitFor(5, TimeUnit.SECONDS)) {
                LOG.warn("The embedded Redis on port {} is slow to stop; it is left to its guard", port);
            }
        } catch (IOException e) {
            LOG.warn("The embedded Redis on port {} has lost its guard: {}", port, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
