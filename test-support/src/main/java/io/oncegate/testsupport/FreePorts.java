package io.oncegate.testsupport;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports that are free on the loopback address.
 *
 * <p>They lie below the range that the system gives to outgoing connections, so that a stopped server finds its port
 * free when it starts again. No port is handed out twice in one JVM. Thread-safe.
 */
public final class FreePorts {

    private static final int FIRST = 12_000;
    private static final int LAST = 22_000;
    private static final int BUS_OFFSET = 10_000;
    private static final Set<Integer> TAKEN = ConcurrentHashMap.newKeySet();

    private FreePorts() {}

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
            if (isFree(port) && (!withBus || isFree(port + BUS_OFFSET)) && TAKEN.add(port)) {
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
}
