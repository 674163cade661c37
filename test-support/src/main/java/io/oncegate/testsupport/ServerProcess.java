package io.oncegate.testsupport;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One server process, started with the same command again and again. Thread-safe. */
final class ServerProcess {

    private static final Duration STOP_WAIT = Duration.ofSeconds(60);

    private final String name;
    private final List<String> command;
    private final Map<String, String> environment;
    private final Path log;
    private @Nullable Process process;

    ServerProcess(String name, List<String> command, Map<String, String> environment, Path directory) {
        this.name = name;
        this.command = command;
        this.environment = environment;
        this.log = directory.resolve("server.log");
    }

    synchronized void start(Duration atMost, Callable<Boolean> ready) {
        if (process != null && process.isAlive()) {
            return;
        }
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(new File("/dev/null"))
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        try {
            Process started = builder.start();
            process = started;
            ProcessGuard.add(started.pid(), "KILL");
            Await.until(name + " is ready", atMost, () -> !started.isAlive() || ready.call(), this::tail);
            if (!started.isAlive()) {
                throw new IllegalStateException(name + " ended with " + started.exitValue() + ": " + tail());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends the signal, "TERM" for most, then SIGKILL where that does not help. */
    synchronized void stop(String signal) {
        end(signal);
    }

    /** SIGKILL, to its children too. */
    synchronized void kill() {
        end("KILL");
    }

    private void end(String signal) {
        Process running = process;
        if (running == null) {
            return;
        }
        process = null;
        try {
            if (signal.equals("KILL")) {
                killAll(name, running.toHandle());
            } else {
                List<ProcessHandle> children = running.descendants().toList();
                new ProcessBuilder("kill", "-" + signal, Long.toString(running.pid()))
                        .start()
                        .waitFor();
                if (!running.waitFor(STOP_WAIT.toSeconds(), TimeUnit.SECONDS)) {
                    running.destroyForcibly().waitFor();
                }
                awaitEnd(name, children);
            }
            ProcessGuard.drop(running.pid());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            running.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /**
     * SIGKILL, to its children too. It is stopped first, so that it has no children that are not known: one of a PostgreSQL would
     * hold its memory for ever, and no other could start in its place.
     */
    static void killAll(String name, ProcessHandle parent) {
        try {
            new ProcessBuilder("kill", "-STOP", Long.toString(parent.pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        List<ProcessHandle> all =
                Stream.concat(Stream.of(parent), parent.descendants()).toList();
        all.forEach(ProcessHandle::destroyForcibly);
        awaitEnd(name, all);
    }

    private static void awaitEnd(String name, List<ProcessHandle> processes) {
        Await.until(name + " has ended", STOP_WAIT, () -> processes.stream().noneMatch(ProcessHandle::isAlive));
    }

    private String tail() {
        try {
            String text = Files.readString(log, StandardCharsets.UTF_8);
            return text.substring(Math.max(0, text.length() - 2_000));
        } catch (IOException e) {
            return "(no log: " + e.getMessage() + ")";
        }
    }
}
