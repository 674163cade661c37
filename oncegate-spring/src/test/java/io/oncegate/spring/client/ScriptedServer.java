package io.oncegate.spring.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server that answers by a script, the last line again and again, and writes down what it was sent. */
final class ScriptedServer implements AutoCloseable {
    /** One answer; a status of 0 cuts the connection. */
    record Answer(int status, Map<String, String> headers, String body) {
        static Answer of(int status) {
            return new Answer(status, Map.of(), status == 204 ? "" : "status " + status);
        }

        static Answer cut() {
            return of(0);
        }

        static Answer inProgress() {
            return problem("in-progress", 409);
        }

        static Answer problem(String code, int status) {
            String body = "{\"type\":\"urn:oncegate:problem:" + code + "\",\"code\":\"" + code + "\"}";
            return new Answer(status, Map.of("Content-Type", "application/problem+json"), body);
        }

        Answer retryAfter(String value) {
            Map<String, String> all = new java.util.HashMap<>(headers);
            all.put("Retry-After", value);
            return new Answer(status, all, body);
        }
    }

    record Sent(String method, String key, String type, String body) {}

    final List<Sent> sent = new CopyOnWriteArrayList<>();
    private final Queue<Answer> script = new ArrayDeque<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;

    ScriptedServer(Answer... answers) throws IOException {
        script.addAll(List.of(answers));
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    String uri() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    List<String> keys() {
        return sent.stream().map(Sent::key).toList();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        sent.add(new Sent(
                exchange.getRequestMethod(),
                String.valueOf(exchange.getRequestHeaders().getFirst("Idempotency-Key")),
                String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type")),
                body));
        Answer answer = next();
        if (answer.status() > 0) {
            answer.headers().forEach(exchange.getResponseHeaders()::set);
            byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
        exchange.close();
    }

    private synchronized Answer next() {
        Answer answer = script.size() > 1 ? script.remove() : script.element();
        return answer;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
