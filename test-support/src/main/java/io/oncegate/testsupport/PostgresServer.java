package io.oncegate.testsupport;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL for tests: the one that all tests of a JVM share, or one of a test's own.
 *
 * <p>A server for sharing can be named instead: {@code
 * ONCEGATE_TEST_POSTGRESQL=jdbc:postgresql://host:port/postgres?user=…&password=…}; the user must be allowed to create
 * databases. Thread-safe.
 */
public final class PostgresServer implements TestServer {

    private static final Duration START_WAIT = Duration.ofSeconds(60);
    private static @Nullable PostgresServer shared;

    private final JdbcAddress address;
    private final boolean durable;
    private final @Nullable Path data;
    private @Nullable EmbeddedPostgres first;
    private @Nullable ServerProcess later;

    private PostgresServer(JdbcAddress address, boolean durable, @Nullable Path data) {
        this.address = address;
        this.durable = durable;
        this.data = data;
    }

    /** The server that all tests share. It is durable: fsync and synchronous_commit are on. */
    public static synchronized PostgresServer shared() {
        if (shared == null) {
            String named = System.getenv("ONCEGATE_TEST_POSTGRESQL");
            shared = named != null ? new PostgresServer(JdbcAddress.parse(named), true, null) : launch(true);
        }
        return shared;
    }

    /** A durable server of the test's own. */
    public static PostgresServer own() {
        return launch(true);
    }

    /** A server of the test's own that may lose commits when the machine stops: fast, for nothing but speed. */
    public static PostgresServer ownNotDurable() {
        return launch(false);
    }

    private static PostgresServer launch(boolean durable) {
        JdbcAddress address = new JdbcAddress("127.0.0.1", FreePorts.next(), "postgres", "");
        Path data = ProcessGuard.directory("postgres").resolve("data");
        PostgresServer server = new PostgresServer(address, durable, data);
        server.startFirst(data);
        return server;
    }

    private synchronized void startFirst(Path directory) {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setPort(address.port())
                .setDataDirectory(directory)
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(false)
                .setPGStartupWait(START_WAIT)
                .setOutputRedirector(ProcessBuilder.Redirect.DISCARD)
                .setErrorRedirector(ProcessBuilder.Redirect.DISCARD);
        settings().forEach(builder::setServerConfig);
        try {
            first = builder.start();
            ProcessGuard.add(pid(), "QUIT");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Map<String, String> settings() {
        String flag = durable ? "on" : "off";
        return Map.of(
                "fsync",
                flag,
                "full_page_writes",
                flag,
                "synchronous_commit",
                flag,
                "listen_addresses",
                "127.0.0.1",
                "max_connections",
                "200",
                "max_prepared_transactions",
                "20");
    }

    /** The library starts a data directory once only, so from the second start on this class does. */
    private ServerProcess later(ProcessHandle running) {
        List<String> command = new ArrayList<>();
        if ("root".equals(System.getProperty("user.name"))) {
            // PostgreSQL refuses to run as root; in a user namespace it is somebody else.
            command.addAll(List.of("unshare", "-U"));
        }
        command.add(running.info().command().orElseThrow());
        command.addAll(List.of("-D", data().toString(), "-p", Integer.toString(port())));
        settings().forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
        return new ServerProcess("PostgreSQL on " + port(), List.copyOf(command), Map.of(), data());
    }

    /** The JDBC address of a database, without user and password. */
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://" + host() + ":" + port() + "/" + database;
    }

    /** The user, who may do everything. */
    public String user() {
        return address.user();
    }

    /** The user's password. */
    public String password() {
        return address.password();
    }

    @Override
    public String host() {
        return address.host();
    }

    @Override
    public int port() {
        return address.port();
    }

    @Override
    public synchronized void start() {
        requireOwn();
        if (later != null) {
            later.start(START_WAIT, () -> {
                try (Connection connection = DriverManager.getConnection(jdbcUrl("postgres"), user(), password())) {
                    return connection.isValid(2);
                }
            });
        }
    }

    @Override
    public synchronized void stop() {
        requireOwn();
        if (later != null) {
            later.stop("INT");
        } else {
            endFirst(false);
        }
    }

    @Override
    public synchronized void kill() {
        requireOwn();
        if (later != null) {
            later.kill();
        } else {
            endFirst(true);
        }
    }

    private void endFirst(boolean atOnce) {
        long pid = pid();
        ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
        later = later(postmaster);
        if (atOnce) {
            ServerProcess.killAll("PostgreSQL", postmaster);
        }
        try {
            if (first != null) {
                first.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        first = null;
        ProcessGuard.drop(pid);
    }

    @Override
    public synchronized void close() {
        kill();
        Directories.delete(data());
    }

    private long pid() {
        try {
            return Long.parseLong(
                    Files.readAllLines(data().resolve("postmaster.pid")).get(0).trim());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path data() {
        if (data == null) {
            throw new IllegalStateException("This PostgreSQL was not started here");
        }
        return data;
    }

    private void requireOwn() {
        if (data == null || isShared()) {
            throw new IllegalStateException("This PostgreSQL is shared by all tests; take PostgresServer.own()");
        }
    }

    private boolean isShared() {
        synchronized (PostgresServer.class) {
            return this == shared;
        }
    }
}
