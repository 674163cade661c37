package io.oncegate.spring.webflux;

import io.oncegate.spring.http.BufferedBody;
import io.oncegate.spring.http.HttpSnapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.AbstractServerHttpResponse;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The response as the handlers see it: it takes everything and sends nothing. What filters before the gate have set stays
 * with the real response.
 */
final class HeldResponse extends AbstractServerHttpResponse {
    private final Buffers buffers;
    private final BufferedBody body;
    private final int memoryThreshold;

    HeldResponse(DataBufferFactory factory, Buffers buffers, int memoryThreshold) {
        super(factory);
        this.buffers = buffers;
        this.body = buffers.create(memoryThreshold);
        this.memoryThreshold = memoryThreshold;
    }

    BufferedBody body() {
        return body;
    }

    int status() {
        HttpStatusCode status = getStatusCode();
        return status == null ? 200 : status.value();
    }

    /** All header lines that the handlers have set, except the length of the body. */
    List<HttpSnapshot.Header> headerLines() {
        List<HttpSnapshot.Header> lines = new ArrayList<>();
        getHeaders().forEach((name, values) -> {
            if (!name.equalsIgnoreCase("Content-Length") && !name.equalsIgnoreCase("Transfer-Encoding")) {
                values.forEach(value -> lines.add(new HttpSnapshot.Header(name, value)));
            }
        });
        return lines;
    }

    @Override
    protected Mono<Void> writeWithInternal(Publisher<? extends DataBuffer> content) {
        // Each buffer is flattened into the step that writes it: a step that goes to the file may wait.
        return Flux.<DataBuffer>from(content)
                .concatMap(this::append)
                .doOnDiscard(DataBuffer.class, DataBufferUtils::release)
                .then();
    }

    @Override
    protected Mono<Void> writeAndFlushWithInternal(Publisher<? extends Publisher<? extends DataBuffer>> content) {
        return Flux.from(content).concatMap(this::writeWithInternal).then();
    }

    private Mono<Void> append(DataBuffer buffer) {
        byte[] part = new byte[buffer.readableByteCount()];
        try {
            buffer.read(part);
        } finally {
            DataBufferUtils.release(buffer);
        }
        Mono<Void> write = Mono.fromRunnable(() -> {
            try {
                buffers.write(body, part);
            } catch (IOException e) {
                throw Exceptions.propagate(e);
            }
        });
        boolean waits = body.size() + part.length > memoryThreshold;
        return waits ? write.subscribeOn(Schedulers.boundedElastic()) : write;
    }

    @Override
    protected void applyStatusCode() {
        // nothing is sent from here
    }

    @Override
    protected void applyHeaders() {
        // nothing is sent from here
    }

    @Override
    protected void applyCookies() {
        // nothing is sent from here
    }

    @Override
    public <T> T getNativeResponse() {
        throw new IllegalStateException("behind the gate there is no native response; write to this one");
    }
}
