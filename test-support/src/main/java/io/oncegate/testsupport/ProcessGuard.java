package io.oncegate.testsupport;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Ends every server of this JVM, and removes its files, when the JVM ends, however it ends.
 *
 * <p>A small shell process holds the list. It reads it from a pipe; when the JVM exits or is killed the pipe closes,
 * and the shell signals what is still on the list. A shutdown hook only waits for that. Thread-safe.
 */
final class ProcessGuard {

    private static final String SCRIPT = """
            trap '' INT TERM HUP
            list=
            while read -r op pid signal; do
              case $op in
                add) list="$list $signal:$pid" ;;
                drop)
                  kept=
                  for entry in $list; do [ "${entry#*:}" = "$pid" ] || kept="$kept $entry"; done
                  list=$kept ;;
              esac
            done
            for file in $(find "$1" -name postmaster.pid 2>/dev/null); do list="$list QUIT:$(head -n 1 "$file")"; done
            for entry in $list; do kill -"${entry%%:*}" "${entry#*:}" 2>/dev/null; done
            turn=0
            for entry in $list; do
              while kill -0 "${entry#*:}" 2>/dev/null && [ $turn -lt 50 ]; do sleep 0.1; turn=$((turn + 1)); done
              kill -KILL "${entry#*:}" 2>/dev/null
            done
            rm -rf "$1"
            """;

    private static final ProcessGuard INSTANCE = new ProcessGuard();

    private final Path root;
    private final Process shell;
    private final Writer list;

    private ProcessGuard() {
        try {
            root = Files.createTempDirectory("oncegate-test-");
            shell = new ProcessBuilder("sh", "-c", SCRIPT, "oncegate-guard", root.toString())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        list = new OutputStreamWriter(shell.getOutputStream(), StandardCharsets.US_ASCII);
        Runtime.getRuntime().addShutdownHook(new Thread(this::endAll, "oncegate-guard"));
    }

    /** A new directory that goes with the JVM. */
    static Path directory(String prefix) {
        try {
            return Files.createTempDirectory(INSTANCE.root, prefix + "-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Puts a process on the list, with the signal that ends it. */
    static void add(long pid, String signal) {
        INSTANCE.write("add " + pid + " " + signal + "\n");
    }

    /** Takes a process that has ended off the list. */
    static void drop(long pid) {
        INSTANCE.write("drop " + pid + "\n");
    }

    private synchronized void write(String line) {
        try {
            list.write(line);
            list.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized void endAll() {
        try {
            list.close();
            shell.waitFor(15, TimeUnit.SECONDS);
        } catch (IOException | InterruptedException e) {
            // The JVM is ending: the shell goes on without us.
        }
    }
}
