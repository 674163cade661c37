package io.oncegate.testsupport;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

/**
 * Redis for tests: servers shared by all tests of a JVM, and servers of a test's own.
 *
 * <p>The program is Redis 6.2 from the test dependencies. A server for sharing can be named instead: {@code
 * ONCEGATE_TEST_REDIS=redis://host:port}. Redis 7 is used where it is installed, or named by {@code
 * ONCEGATE_TEST_REDIS7}. Thread-safe.
 */
public final class RedisServers {

    /** What all tests share is never failed over because the machine stands still. */
    private static final int STEADY_MILLIS = 30_000;

    private static @Nullable String program;
    private static @Nullable RedisServer standalone;
    private static @Nullable RedisServer redis7;
    private static @Nullable RedisSentinels sentinel;
    private static @Nullable RedisCluster cluster;

    private RedisServers() {}

    /** The standalone server that all tests share. Use keys of your own; never FLUSHALL. */
    public static synchronized RedisServer standalone() {
        if (standalone == null) {
            String address = System.getenv("ONCEGATE_TEST_REDIS");
            standalone = address != null
                    ? RedisServer.at(address)
                    : RedisServer.launch(program(), FreePorts.next(), true, List.of());
        }
        return standalone;
    }

    /** A standalone server of the test's own, with settings such as {@code "maxmemory 10mb"}. */
    public static RedisServer own(String... settings) {
        return RedisServer.launch(program(), FreePorts.next(), false, List.of(settings));
    }

    /** As {@link #own}, keeping every write over a kill: append-only file, synced at each write. */
    public static RedisServer ownDurable(String... settings) {
        List<String> durable = Stream.concat(Stream.of("appendonly yes", "appendfsync always"), Stream.of(settings))
                .toList();
        return RedisServer.launch(program(), FreePorts.next(), false, durable);
    }

    /** The sentinel group that all tests share; do not stop its servers. */
    public static synchronized RedisSentinels sentinel() {
        if (sentinel == null) {
            sentinel = new RedisSentinels(program(), STEADY_MILLIS);
        }
        return sentinel;
    }

    /** A sentinel group of the test's own, to fail over. */
    public static RedisSentinels ownSentinel() {
        return new RedisSentinels(program(), 1_000);
    }

    /** The cluster that all tests share; do not stop its nodes. */
    public static synchronized RedisCluster cluster() {
        if (cluster == null) {
            cluster = new RedisCluster(program(), STEADY_MILLIS);
        }
        return cluster;
    }

    /** A cluster of the test's own, to fail over. */
    public static RedisCluster ownCluster() {
        return new RedisCluster(program(), 2_000);
    }

    /** The Redis 7 (or newer) that all tests share; empty where none is installed. */
    public static synchronized Optional<RedisServer> redis7() {
        if (redis7 == null) {
            String address = System.getenv("ONCEGATE_TEST_REDIS7");
            redis7 = address != null
                    ? RedisServer.at(address)
                    : installed()
                            .map(path -> RedisServer.launch(path, FreePorts.next(), true, List.of()))
                            .orElse(null);
        }
        return Optional.ofNullable(redis7);
    }

    /** A Redis 7 (or newer) of the test's own; empty where none is installed. */
    public static Optional<RedisServer> ownRedis7(String... settings) {
        return installed().map(path -> RedisServer.launch(path, FreePorts.next(), false, List.of(settings)));
    }

    private static synchronized String program() {
        if (program == null) {
            try {
                File unpacked = ProcessGuard.directory("redis-program").toFile();
                program = ExecutableProvider.newJarResourceProvider(unpacked)
                        .get()
                        .getAbsolutePath();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return program;
    }

    private static Optional<String> installed() {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.concat(Stream.of(path.split(Pattern.quote(File.pathSeparator))), Stream.of("/usr/bin"))
                .map(directory -> new File(directory, "redis-server"))
                .filter(File::canExecute)
                .map(File::getPath)
                .filter(RedisServers::isSevenOrNewer)
                .findFirst();
    }

    private static boolean isSevenOrNewer(String path) {
        try {
            Process process = new ProcessBuilder(path, "--version").start();
            String text = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            var version = Pattern.compile("v=(\\d+)\\.").matcher(text);
            return version.find() && Integer.parseInt(version.group(1)) >= 7;
        } catch (IOException e) {
            return false;
        }
    }
}
