package io.oncegate.testsupport;

import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A Redis server. Thread-safe. */
public final class RedisServer implements TestServer {

    private static final Duration START_WAIT = Duration.ofSeconds(60);

    private final RedisURI uri;
    private final @Nullable ServerProcess process;
    private final @Nullable Path directory;
    private final boolean shared;

    private RedisServer(RedisURI uri, @Nullable ServerProcess process, @Nullable Path directory, boolean shared) {
        this.uri = uri;
        this.process = process;
        this.directory = directory;
        this.shared = shared;
    }

    /** A server somewhere else, that only its address is known of. */
    static RedisServer at(String address) {
        return new RedisServer(
                RedisURI.create(address.contains("://") ? address : "redis://" + address), null, null, true);
    }

    /** Starts a server with settings of the form {@code "appendonly yes"}. */
    static RedisServer launch(String program, int port, boolean shared, List<String> settings) {
        Path directory = ProcessGuard.directory("redis");
        List<String> command = new ArrayList<>(List.of(program));
        setting(command, "port " + port);
        setting(command, "bind 127.0.0.1");
        setting(command, "dir " + directory);
        setting(command, "save ");
        settings.forEach(setting -> setting(command, setting));
        return start(port, shared, directory, command);
    }

    /** Starts a sentinel, whose configuration file stands in the directory. */
    static RedisServer launchSentinel(String program, int port, Path configuration) {
        Path directory = ProcessGuard.directory("sentinel");
        return start(port, false, directory, List.of(program, configuration.toString(), "--sentinel"));
    }

    private static RedisServer start(int port, boolean shared, Path directory, List<String> command) {
        ServerProcess process = new ServerProcess("Redis on " + port, List.copyOf(command), Map.of(), directory);
        RedisURI uri = RedisURI.create("127.0.0.1", port);
        RedisServer server = new RedisServer(uri, process, directory, shared);
        server.launch(process);
        return server;
    }

    private static void setting(List<String> command, String setting) {
        int space = setting.indexOf(' ');
        command.add("--" + setting.substring(0, space));
        command.addAll(List.of(setting.substring(space + 1).split(" ", -1)));
    }

    private void launch(ServerProcess own) {
        own.start(START_WAIT, () -> send("PING").equals("PONG"));
    }

    /** Its address for Lettuce; a copy, free to change. */
    public RedisURI uri() {
        return RedisURI.builder(uri).build();
    }

    /** Sends one inline command on a connection of its own; an error reply begins with a minus sign. */
    public String send(String command) throws IOException {
        return Resp.send(host(), port(), command);
    }

    @Override
    public String host() {
        return uri.getHost();
    }

    @Override
    public int port() {
        return uri.getPort();
    }

    @Override
    public void start() {
        launch(own());
    }

    @Override
    public void stop() {
        own().stop("TERM");
    }

    @Override
    public void kill() {
        own().kill();
    }

    @Override
    public void close() {
        own().kill();
        if (directory != null) {
            Directories.delete(directory);
        }
    }

    private ServerProcess own() {
        if (process == null || shared) {
            throw new IllegalStateException("This Redis is shared by all tests; take one from RedisServers.own()");
        }
        return process;
    }
}
