package io.oncegate.proof;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A {@link Victim}, {@link TokenVictim} or {@link LockVictim} in a JVM of its own, on this JVM's class path. Used by one thread. */
public final class VictimProcess implements AutoCloseable {
    /** How a process that was ended by SIGKILL ends. */
    public static final int KILLED = 128 + 9;

    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final String END = "END";

    private final Process process;
    private final Writer input;
    private final LinkedBlockingQueue<String> said = new LinkedBlockingQueue<>();
    private final List<String> log = new ArrayList<>();
    private final List<String> heard = new ArrayList<>();

    private VictimProcess(Process process) {
        this.process = process;
        this.input = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, "victim-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts one that runs one operation and waits at the label. */
    public static VictimProcess start(Place place, Duration lease, Label label, String key) {
        return start(place, lease, label.name(), key);
    }

    /** Starts one that runs operations without end, with the keys {@code key-0} and so on. */
    public static VictimProcess startBatch(Place place, Duration lease, String key) {
        return start(place, lease, Victim.BATCH, key);
    }

    /** Starts one that uses a strict token and makes an effect of this name. */
    public static VictimProcess startToken(Place place, String token, String name) {
        return start(TokenVictim.class, place.toArguments(), List.of(token, name));
    }

    /** Starts one that holds the lock of this key. */
    public static VictimProcess startLock(LockPlace place, Duration lease, LockVictim.Work work, String key) {
        return start(LockVictim.class, place.toArguments(), List.of(Long.toString(lease.toMillis()), work.name(), key));
    }

    private static VictimProcess start(Place place, Duration lease, String label, String key) {
        return start(Victim.class, place.toArguments(), List.of(Long.toString(lease.toMillis()), label, key));
    }

    private static VictimProcess start(Class<?> main, List<String> place, List<String> more) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(place);
        command.addAll(more);
        try {
            return new VictimProcess(
                    new ProcessBuilder(command).redirectErrorStream(true).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                if (line.startsWith("@")) {
                    said.add(line.substring(1));
                } else {
                    synchronized (log) {
                        log.add(line);
                    }
                }
            }
        } catch (IOException e) {
            // The process has gone.
        }
        said.add(END);
    }

    /**
     * Waits until it says a line that begins so.
     *
     * @return the rest of the line
     */
    public String await(String beginning) {
        while (true) {
            String line = next();
            if (line.startsWith(beginning)) {
                return line.substring(beginning.length()).trim();
            }
            if (line.equals(END)) {
                throw new IllegalStateException("the victim ended before " + beginning + "; " + diagnosis());
            }
        }
    }

    private String next() {
        try {
            String line = said.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
            if (line == null) {
                throw new IllegalStateException("the victim says nothing; " + diagnosis());
            }
            if (!line.equals(END)) {
                heard.add(line);
            }
            return line;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private String diagnosis() {
        synchronized (log) {
            return "it said " + heard + " and logged " + String.join("\n", log);
        }
    }

    /** Waits until it has come to its label. */
    public void awaitAt(Label label) {
        await("AT " + label);
    }

    /** Lets it go on. */
    public void proceed() {
        try {
            input.write("\n");
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills it with SIGKILL, and gives its exit code. */
    public int kill() {
        process.destroyForcibly();
        return exitCode();
    }

    /** Waits for its end. */
    public int exitCode() {
        try {
            if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("the victim does not end; " + diagnosis());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** All that it has said, once it has ended. */
    public List<String> allSaid() {
        while (!next().equals(END)) {
            // until the end
        }
        return List.copyOf(heard);
    }

    /** Stops it where it is with SIGSTOP. */
    public void freeze() {
        signal("STOP");
    }

    /** Lets it go on with SIGCONT. */
    public void thaw() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            int code = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new IllegalStateException("kill -" + name + " ended with " + code);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
