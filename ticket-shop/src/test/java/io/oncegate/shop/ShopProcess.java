package io.oncegate.shop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** A shop in a JVM of its own, to be killed. */
final class ShopProcess implements AutoCloseable {
    /** How a process that was ended by SIGKILL ends. */
    static final int KILLED = 128 + 9;

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Pattern LISTENS = Pattern.compile("@listens (\\d+)");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Process process;
    private final CompletableFuture<Integer> port = new CompletableFuture<>();

    private ShopProcess(Process process) {
        this.process = process;
        Thread reader = new Thread(this::read, "shop-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts one with these settings; it ends with this JVM. */
    static ShopProcess start(List<String> settings) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "--server.port=0"));
        settings.forEach(setting -> command.add("--" + setting));
        try {
            return new ShopProcess(
                    new ProcessBuilder(command).redirectErrorStream(true).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The shop, which ends when its input does. */
    static final class Main {
        private Main() {}

        public static void main(String[] arguments) {
            Thread watch = new Thread(
                    () -> {
                        try {
                            while (System.in.read() >= 0) {
                                // nobody writes
                            }
                        } catch (IOException e) {
                            // as good as the end
                        }
                        Runtime.getRuntime().halt(1);
                    },
                    "watch");
            watch.setDaemon(true);
            watch.start();
            ConfigurableApplicationContext shop = SpringApplication.run(TicketShopApplication.class, arguments);
            System.out.println("@listens " + shop.getEnvironment().getProperty("local.server.port"));
        }
    }

    private void read() {
        StringBuilder log = new StringBuilder();
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                log.append(line).append('\n');
                Matcher listens = LISTENS.matcher(line);
                if (listens.find()) {
                    port.complete(Integer.parseInt(listens.group(1)));
                }
            }
        } catch (IOException e) {
            // it has gone
        }
        port.completeExceptionally(new IllegalStateException("the shop ended before it listened: " + log));
    }

    Answer order(String user, String key, String body) {
        return sendAsync(request(user, "/api/orders")
                        .header("Idempotency-Key", key)
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body)))
                .join();
    }

    Answer get(String user, String path) {
        return sendAsync(request(user, path).GET()).join();
    }

    CompletableFuture<Answer> pay(String user, String orderNo) {
        return sendAsync(request(user, "/api/orders/" + orderNo + "/pay").POST(BodyPublishers.noBody()));
    }

    private HttpRequest.Builder request(String user, String path) {
        int at = port.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + at + path))
                .timeout(PATIENCE)
                .header("X-User", user);
    }

    private CompletableFuture<Answer> sendAsync(HttpRequest.Builder request) {
        return http.sendAsync(request.build(), BodyHandlers.ofString())
                .thenApply(response -> new Answer(response.statusCode(), response.body(), response, Duration.ZERO));
    }

    /** Kills it with SIGKILL, and gives its exit code. */
    int kill() {
        return process.destroyForcibly().onExit().join().exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
