package io.oncegate.spring.webflux;

import io.oncegate.spring.http.BufferedBody;
import io.oncegate.spring.http.FormFields;
import io.oncegate.spring.http.internal.RefusedBody;
import io.oncegate.spring.http.internal.RequestBody;
import java.io.IOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.util.MultiValueMap;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Reads a request's body once. What does not fit into memory is read on a thread that may wait. Thread-safe. */
final class BodyReader {
    private final long maxBytes;
    private final int memoryThreshold;

    BodyReader(long maxBytes, int memoryThreshold) {
        this.maxBytes = maxBytes;
        this.memoryThreshold = memoryThreshold;
    }

    /** A body that has been read. */
    record Read(RequestBody body, boolean seenBefore) {}

    /** Reads it; fails with {@link RefusedBody}. */
    Mono<Read> read(ServerWebExchange exchange, String path, Buffers buffers) {
        ServerHttpRequest request = exchange.getRequest();
        HttpHeaders headers = request.getHeaders();
        long length = headers.getContentLength();
        if (length > maxBytes) {
            return Mono.error(RequestBody.tooLarge(maxBytes));
        }
        RequestBody.Head head = head(request, path);
        BufferedBody bytes = buffers.create(memoryThreshold);
        // Copied before the thread changes: what waits between two threads is forgotten when the client hangs up.
        Flux<byte[]> body =
                request.getBody().map(BodyReader::copied).doOnDiscard(DataBuffer.class, DataBufferUtils::release);
        if (length < 0 || length > memoryThreshold) {
            body = body.publishOn(Schedulers.boundedElastic());
        }
        return body.doOnNext(part -> append(part, bytes, buffers))
                .then()
                .onErrorResume(e -> afterFailure(e, head, bytes))
                .then(Mono.defer(() -> understood(exchange, head, bytes)));
    }

    private static RequestBody.Head head(ServerHttpRequest request, String path) {
        HttpHeaders headers = request.getHeaders();
        String type = headers.getFirst(HttpHeaders.CONTENT_TYPE);
        return new RequestBody.Head(
                request.getMethod().name(),
                path,
                request.getURI().getRawQuery(),
                type,
                RequestBody.isCompressed(headers.getFirst(HttpHeaders.CONTENT_ENCODING)),
                charset(type));
    }

    private static @Nullable String charset(@Nullable String contentType) {
        try {
            Charset charset = contentType == null || contentType.isBlank()
                    ? null
                    : MediaType.parseMediaType(contentType).getCharset();
            return charset == null ? null : charset.name();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static byte[] copied(DataBuffer buffer) {
        try {
            byte[] part = new byte[buffer.readableByteCount()];
            buffer.read(part);
            return part;
        } finally {
            DataBufferUtils.release(buffer);
        }
    }

    private void append(byte[] part, BufferedBody bytes, Buffers buffers) {
        try {
            if (bytes.size() + part.length > maxBytes) {
                throw Exceptions.propagate(RequestBody.tooLarge(maxBytes));
            }
            buffers.write(bytes, part);
        } catch (IOException e) {
            throw Exceptions.propagate(e);
        }
    }

    private static Mono<Void> afterFailure(Throwable failure, RequestBody.Head head, BufferedBody bytes) {
        Throwable cause = Exceptions.unwrap(failure);
        if (cause instanceof RefusedBody) {
            return Mono.error(cause);
        }
        if (cause instanceof IllegalStateException && bytes.size() == 0) {
            // The body has had a reader before; of a form the exchange still knows what it read.
            return head.isForm() ? Mono.empty() : Mono.error(RequestBody.readBefore());
        }
        return Mono.error(RequestBody.brokenOff());
    }

    private static Mono<Read> understood(ServerWebExchange exchange, RequestBody.Head head, BufferedBody bytes) {
        long length = exchange.getRequest().getHeaders().getContentLength();
        if (bytes.size() == 0 && length != 0 && head.isForm()) {
            return exchange.getFormData().map(fields -> new Read(RequestBody.ofForm(head, bytes, list(fields)), true));
        }
        if (bytes.size() == 0 && length > 0) {
            return Mono.error(RequestBody.readBefore());
        }
        try {
            return Mono.just(new Read(RequestBody.of(head, bytes), false));
        } catch (RefusedBody | IOException e) {
            return Mono.error(e);
        }
    }

    private static List<FormFields.Field> list(MultiValueMap<String, String> form) {
        List<FormFields.Field> fields = new ArrayList<>();
        form.forEach((name, values) ->
                values.forEach(value -> fields.add(new FormFields.Field(name, value == null ? "" : value))));
        return fields;
    }
}
