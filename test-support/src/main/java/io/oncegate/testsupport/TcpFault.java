package io.oncegate.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.netcrusher.core.reactor.NioReactor;
import org.netcrusher.tcp.TcpCrusher;
import org.netcrusher.tcp.TcpCrusherBuilder;

/**
 * A TCP proxy on 127.0.0.1 that stands between a client and its server and breaks the line on demand. Thread-safe.
 *
 * <p>After {@link #freeze} a request may or may not have reached the server; after {@link #loseReplies} it has, and only
 * its reply is lost.
 */
public final class TcpFault implements AutoCloseable {

    private final int port;
    private final NioReactor reactor;
    private final TcpCrusher crusher;
    private volatile boolean losing;
    private volatile boolean frozen;

    private TcpFault(String host, int targetPort) {
        try {
            port = FreePorts.next();
            reactor = new NioReactor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        crusher = TcpCrusherBuilder.builder()
                .withReactor(reactor)
                .withBindAddress("127.0.0.1", port)
                .withConnectAddress(host, targetPort)
                .withIncomingTransformFilterFactory(client -> bytes -> {
                    if (losing) {
                        bytes.limit(bytes.position());
                    }
                })
                .withDeferredListeners(false)
                .withCreationListener(client -> freezeIfLate())
                .buildAndOpen();
    }

    /** Opens a line to a server. */
    public static TcpFault to(String host, int port) {
        return new TcpFault(host, port);
    }

    /** Opens a line to a server. */
    public static TcpFault to(TestServer server) {
        return new TcpFault(server.host(), server.port());
    }

    /** Where the client connects to. */
    public String host() {
        return "127.0.0.1";
    }

    /** Where the client connects to. */
    public int port() {
        return port;
    }

    /** Nothing passes in either direction, and no connection is closed. */
    public void freeze() {
        frozen = true;
        crusher.freeze();
    }

    /** A connection that was under way when the line was frozen is frozen as well, before it carries anything. */
    private void freezeIfLate() {
        if (frozen) {
            crusher.freezeAllPairs();
        }
    }

    /** Lets pass what waited. */
    public void unfreeze() {
        frozen = false;
        crusher.unfreeze();
    }

    /** Requests pass; what the server answers from now on is thrown away. */
    public void loseReplies() {
        losing = true;
    }

    /** Replies pass again. A connection that lost some is out of step: {@link #reset} it. */
    public void passReplies() {
        losing = false;
    }

    /** Whether it is frozen, loses replies or is down. */
    public boolean isBroken() {
        return frozen || losing || !crusher.isOpen();
    }

    /** Closes the connections there are; new ones are accepted. */
    public void reset() {
        crusher.closeAllPairs();
    }

    /** Closes the connections there are and refuses new ones. */
    public void down() {
        crusher.close();
    }

    /** Accepts connections again after {@link #down}. */
    public void up() {
        crusher.open();
    }

    @Override
    public void close() {
        if (crusher.isOpen()) {
            crusher.close();
        }
        reactor.close();
    }
}
