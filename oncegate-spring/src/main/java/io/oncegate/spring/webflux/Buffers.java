package io.oncegate.spring.webflux;

import io.oncegate.spring.http.BufferedBody;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bodies of one request and its answer, closed when both halves of the exchange are over: the half that the client
 * waits for, which ends early when it hangs up, and the half that runs the handlers, which goes on. Thread-safe: a body is
 * written under this object's lock, so that none is written to, and no temporary file made, once it has been closed.
 */
final class Buffers {
    private static final Logger LOG = LoggerFactory.getLogger(IdempotencyWebFilter.class);

    private final List<BufferedBody> bodies = new ArrayList<>();
    private boolean answered;
    private boolean begun;
    private boolean running;
    private boolean closed;

    synchronized BufferedBody create(int memoryThreshold) {
        BufferedBody body = new BufferedBody(memoryThreshold);
        bodies.add(body);
        return body;
    }

    synchronized void write(BufferedBody body, byte[] bytes) throws IOException {
        if (closed) {
            throw new IOException("the exchange is over");
        }
        body.write(bytes, 0, bytes.length);
    }

    /** The handlers begin to run; false if the client has gone before. */
    synchronized boolean run() {
        begun = !closed;
        running = begun;
        return begun;
    }

    synchronized void ran() {
        running = false;
        closeIfOver();
    }

    /** The client has its answer, or has gone; whether the handlers have begun to run before. */
    synchronized boolean answered() {
        answered = true;
        closeIfOver();
        return begun;
    }

    private void closeIfOver() {
        if (!answered || running || closed) {
            return;
        }
        closed = true;
        for (BufferedBody body : bodies) {
            try {
                body.close();
            } catch (IOException e) {
                LOG.warn("A temporary file could not be removed: {}", e.toString());
            }
        }
    }
}
