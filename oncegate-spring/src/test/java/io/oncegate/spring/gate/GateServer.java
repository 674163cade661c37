package io.oncegate.spring.gate;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.springframework.context.ConfigurableApplicationContext;

/** A real server with the test controllers and a gate before them, and a client for it. */
public class GateServer implements AutoCloseable {
    public final Runs runs;
    private final ConfigurableApplicationContext context;
    private final String root;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    protected GateServer(ConfigurableApplicationContext context, Runs runs) {
        this.context = context;
        this.runs = runs;
        this.root = "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port");
    }

    public static String key() {
        return "\"" + UUID.randomUUID() + "\"";
    }

    public URI uri(String path) {
        return URI.create(root + path);
    }

    public int port() {
        return uri("/").getPort();
    }

    public HttpClient client() {
        return client;
    }

    public HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(uri(path)).timeout(Duration.ofSeconds(20));
    }

    public HttpRequest.Builder post(String path, String key, String type, byte[] body) {
        return request(path)
                .header("Idempotency-Key", key)
                .header("X-User", "alice")
                .header("Content-Type", type)
                .POST(BodyPublishers.ofByteArray(body));
    }

    public HttpRequest.Builder json(String path, String key, String body) {
        return post(path, key, "application/json", body.getBytes(StandardCharsets.UTF_8));
    }

    public HttpResponse<byte[]> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    public CompletableFuture<HttpResponse<byte[]>> sendAsync(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), BodyHandlers.ofByteArray());
    }

    public static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    public static String sha(byte[] bytes) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes))
                    .substring(0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    public static boolean replayed(HttpResponse<?> response) {
        return response.headers().firstValue("Idempotent-Replayed").orElse("").equals("true");
    }

    /** Sends bytes as they are and reads the status, or 0 if the connection is closed without one. */
    public int raw(String request) throws IOException {
        return raw(request, false);
    }

    /** The same, and perhaps says that no more will come. */
    public int raw(String request, boolean end) throws IOException {
        try (java.net.Socket socket = new java.net.Socket("127.0.0.1", port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            if (end) {
                socket.shutdownOutput();
            }
            String line = new String(socket.getInputStream().readNBytes(12), StandardCharsets.ISO_8859_1);
            return line.length() < 12 ? 0 : Integer.parseInt(line.substring(9));
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
