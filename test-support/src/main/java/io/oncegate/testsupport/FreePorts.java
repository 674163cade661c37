package io.oncegate.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports that are free on the loopback address.
 *
 * <p>They lie below the range that the system gives to outgoing connections, so that a stopped server finds its port
 * free when it starts again. A port belongs to the JVM that it was handed out to until that ends, also while nobody listens
 * there: no other JVM of the same user gets it. Thread-safe.
 */
public final class FreePorts {

    private static final int FIRST = 12_000;
    private static final int LAST = 22_000;
    private static final int BUS_OFFSET = 10_000;

    /** A byte for each port, locked by the JVM that has the port. The system lets the locks go when the JVM ends. */
    private static final FileChannel OWNERS = owners();

    private FreePorts() {}

    private static FileChannel owners() {
        Path file = Path.of(System.getProperty("java.io.tmpdir"), "oncegate-ports-" + System.getProperty("user.name"));
        try {
            return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A free port. */
    public static int next() {
        return next(false);
    }

    /** A free port whose Redis Cluster bus port (10000 above it) is free too. */
    public static int nextForCluster() {
        return next(true);
    }

    private static int next(boolean withBus) {
        for (int tries = 0; tries < 1_000; tries++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            if (isFree(port) && (!withBus || isFree(port + BUS_OFFSET)) && take(port)) {
                return port;
            }
        }
        throw new IllegalStateException("No free port between " + FIRST + " and " + LAST);
    }

    static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException inUse) {
            return false;
        }
    }

    /** Takes the port for this JVM, unless another one, or this one, has it. */
    static boolean take(int port) {
        try {
            return OWNERS.tryLock(port, 1, false) != null;
        } catch (OverlappingFileLockException handedOutHere) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
