package io.oncegate.shop;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.springframework.util.FileSystemUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A real browser without a window, driven by its DevTools protocol over the JDK's WebSocket client: so that the build
 * downloads no driver. Whoever closes it ends its processes and removes its files.
 */
final class Chromium implements AutoCloseable {
    private static final String VARIABLE = "ONCEGATE_TEST_CHROMIUM";
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");
    private static final String LISTENS = "DevTools listening on ";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final JsonMapper JSON = new JsonMapper();

    private final Process process;
    private final Path profile;
    private final WebSocket socket;
    private final AtomicInteger commands = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> replies = new ConcurrentHashMap<>();
    private final Map<String, Consumer<JsonNode>> listeners = new ConcurrentHashMap<>();

    private Chromium(Process process, Path profile, URI address) {
        this.process = process;
        this.profile = profile;
        this.socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(address, new Receiver())
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    /** The browser that is installed here: what the variable names, else the first on the path. */
    static Optional<Path> installed() {
        String named = System.getenv(VARIABLE);
        Stream<Path> candidates = named != null
                ? Stream.of(Path.of(named))
                : NAMES.stream()
                        .flatMap(name -> Stream.of(System.getenv("PATH").split(java.io.File.pathSeparator))
                                .map(directory -> Path.of(directory, name)));
        return candidates.filter(Files::isExecutable).findFirst();
    }

    static String howToInstall() {
        return "no Chromium is installed: put one on the PATH, or name it in " + VARIABLE
                + "; on Debian: apt-get install chromium";
    }

    static Chromium start(Path program) throws IOException {
        Path profile = Files.createTempDirectory("ticket-shop-chromium-");
        Process process = new ProcessBuilder(
                        program.toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectErrorStream(true)
                .start();
        return new Chromium(process, profile, address(process));
    }

    /** It tells where it listens, and goes on talking, which somebody has to read. */
    private static URI address(Process process) {
        CompletableFuture<URI> address = new CompletableFuture<>();
        Thread reader = new Thread(() -> {
            try (BufferedReader output = process.inputReader()) {
                output.lines()
                        .filter(line -> line.startsWith(LISTENS))
                        .forEach(line -> address.complete(URI.create(line.substring(LISTENS.length()))));
            } catch (IOException | java.io.UncheckedIOException e) {
                address.completeExceptionally(e);
            }
            address.completeExceptionally(new IllegalStateException("Chromium ended before it listened"));
        });
        reader.setDaemon(true);
        reader.start();
        return address.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** A visitor with cookies of its own. */
    String visitor() {
        return command(null, "Target.createBrowserContext", Map.of())
                .get("browserContextId")
                .asString();
    }

    /** A tab of this visitor. */
    Tab tab(String visitor, boolean javaScript) {
        String target = command(null, "Target.createTarget", Map.of("url", "about:blank", "browserContextId", visitor))
                .get("targetId")
                .asString();
        String session = command(null, "Target.attachToTarget", Map.of("targetId", target, "flatten", true))
                .get("sessionId")
                .asString();
        Tab tab = new Tab(this, session);
        listeners.put(session, tab::event);
        tab.prepare(javaScript);
        return tab;
    }

    JsonNode command(String session, String method, Map<String, ?> parameters) {
        return send(session, method, parameters)
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    /** Sends a command and does not wait for what comes of it. Commands arrive in their order. */
    void tell(String session, String method, Map<String, ?> parameters) {
        var unused = send(session, method, parameters);
    }

    private synchronized CompletableFuture<JsonNode> send(String session, String method, Map<String, ?> parameters) {
        int id = commands.incrementAndGet();
        CompletableFuture<JsonNode> reply = new CompletableFuture<>();
        replies.put(id, reply);
        Map<String, Object> command = new java.util.HashMap<>(Map.of("id", id, "method", method, "params", parameters));
        if (session != null) {
            command.put("sessionId", session);
        }
        socket.sendText(JSON.writeValueAsString(command), true).join();
        return reply;
    }

    private void received(JsonNode message) {
        if (message.has("id")) {
            CompletableFuture<JsonNode> reply = replies.remove(message.get("id").asInt());
            if (message.has("error")) {
                reply.completeExceptionally(
                        new IllegalStateException(message.get("error").toString()));
            } else {
                reply.complete(message.get("result"));
            }
        } else {
            Consumer<JsonNode> listener =
                    listeners.get(message.path("sessionId").asString(""));
            if (listener != null) {
                listener.accept(message);
            }
        }
    }

    private final class Receiver implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                JsonNode message = JSON.readTree(text.toString());
                text.setLength(0);
                received(message);
            }
            from.request(1);
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        socket.abort();
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(ended -> ended.onExit().join());
        FileSystemUtils.deleteRecursively(profile);
    }
}
