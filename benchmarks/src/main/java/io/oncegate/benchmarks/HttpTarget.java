package io.oncegate.benchmarks;

import io.oncegate.benchmarks.http.OrderClient;
import io.oncegate.benchmarks.http.OrderServer;
import io.oncegate.spring.http.IdempotencyKeyHeader;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A web server, the connections of the row that is measured, and how often its handler should have run. Thread-safe. */
final class HttpTarget implements AutoCloseable {
    /** Makes the value of the header that tells requests apart. */
    @FunctionalInterface
    interface Identity {
        String next() throws Exception;
    }

    private final String name;
    private final OrderServer server;
    private final List<OrderClient> clients = new CopyOnWriteArrayList<>();
    private final LongAdder wanted = new LongAdder();
    private @Nullable String answered;

    HttpTarget(String name, OrderServer server) {
        this.name = name;
        this.server = server;
    }

    /** Each request has a new key, and its handler has to run. */
    Body firstRuns() throws IOException {
        return firstRuns(OrderServer.PATH, IdempotencyKeyHeader.DEFAULT_NAME, Keys::next);
    }

    /** Each request is told apart by this header, and its handler has to run. */
    Body firstRuns(String path, String header, Identity identity) throws IOException {
        OrderClient client = connect(path);
        return () -> {
            expectReplay(client.post(header, identity.next()), false);
            wanted.increment();
        };
    }

    /** All requests have one key, of a request that was answered before. */
    Body replays() throws IOException {
        OrderClient client = connect(OrderServer.PATH);
        String key = answeredKey(client);
        return () -> expectReplay(client.post(IdempotencyKeyHeader.DEFAULT_NAME, key), true);
    }

    private synchronized String answeredKey(OrderClient client) throws IOException {
        String key = answered;
        if (key == null) {
            key = Keys.next();
            expectReplay(client.post(IdempotencyKeyHeader.DEFAULT_NAME, key), false);
            wanted.increment();
            answered = key;
        }
        return key;
    }

    private void expectReplay(boolean replayed, boolean expected) {
        if (replayed != expected) {
            throw new IllegalStateException(
                    name + (expected ? ": ran instead of replaying" : ": replayed instead of running"));
        }
    }

    private OrderClient connect(String path) throws IOException {
        OrderClient client = new OrderClient(server, path);
        clients.add(client);
        return client;
    }

    /** Ends the connections of the row before, and counts anew. */
    synchronized void clean() throws IOException {
        for (OrderClient client : clients) {
            client.close();
        }
        clients.clear();
        answered = null;
        wanted.reset();
        server.forgetRuns();
    }

    /** Whether the handler has run once for each request that is no repetition. */
    void check() {
        if (server.runs() != wanted.sum()) {
            throw new IllegalStateException(
                    name + ": the handler should have run " + wanted.sum() + " times, and has run " + server.runs());
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
