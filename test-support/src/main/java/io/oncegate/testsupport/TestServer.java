package io.oncegate.testsupport;

/**
 * A server that a test may stop, kill and start again on the same port.
 *
 * <p>A shared server, or one given by an environment variable, refuses all of these: other tests use it.
 */
public interface TestServer extends AutoCloseable {

    /** The host that it listens on. */
    String host();

    /** The port that it listens on; it stays the same over restarts. */
    int port();

    /** Starts it again with the data it had; does nothing while it runs. */
    void start();

    /** Stops it in good order, as an operator would. */
    void stop();

    /** Kills it at once, as a crash would. */
    void kill();

    /** Ends it for good and removes its data. */
    @Override
    void close();
}
