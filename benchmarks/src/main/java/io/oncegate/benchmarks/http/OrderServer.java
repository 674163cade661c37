package io.oncegate.benchmarks.http;

import io.oncegate.core.key.Scope;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** A running web server with one handler, behind a gate or without any. Thread-safe. */
public final class OrderServer implements AutoCloseable {
    /** Whom every request is from; no authentication is part of any row. */
    public static final Scope CALLER = Scope.of("tenant-1", "alice");

    /** The handler's path. */
    public static final String PATH = "/orders";

    /** Another path of the same handler, where a gate takes one-time tokens. */
    public static final String TOKEN_PATH = "/token-orders";

    private final ConfigurableApplicationContext context;
    private final AtomicLong runs;

    OrderServer(ConfigurableApplicationContext context, AtomicLong runs) {
        this.context = context;
        this.runs = runs;
    }

    /** Where it listens, on the loopback address. */
    public int port() {
        var server = ((WebServerApplicationContext) context).getWebServer();
        if (server == null) {
            throw new IllegalStateException("the web server has been closed");
        }
        return server.getPort();
    }

    /** How often the handler has run since the start or the last {@link #forgetRuns}. */
    public long runs() {
        return runs.get();
    }

    /** Begins to count anew. */
    public void forgetRuns() {
        runs.set(0);
    }

    @Override
    public void close() {
        context.close();
    }
}
