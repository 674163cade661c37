package io.oncegate.spring.client;

import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.client.reactive.ClientHttpRequest;
import org.springframework.http.client.reactive.ClientHttpRequestDecorator;
import org.springframework.web.reactive.function.BodyInserter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A body that is asked for once and sent as often as needed: what the first sending writes is kept, up to 256 KiB, with the
 * headers that came with it. Sent by one sending after the other.
 */
final class RepeatableBody implements BodyInserter<Object, ClientHttpRequest> {
    static final int LONGEST = 256 * 1024;

    private final BodyInserter<?, ? super ClientHttpRequest> body;
    private volatile boolean started;
    private volatile byte @Nullable [] bytes;
    private volatile HttpHeaders headers = new HttpHeaders();

    RepeatableBody(BodyInserter<?, ? super ClientHttpRequest> body) {
        this.body = body;
    }

    /** Whether the same bytes can be sent now. */
    boolean isRepeatable() {
        return !started || bytes != null;
    }

    @Override
    public Mono<Void> insert(ClientHttpRequest request, Context context) {
        byte @Nullable [] kept = bytes;
        if (kept == null) {
            return body.insert(new Kept(request), context);
        }
        request.getHeaders().putAll(headers);
        return kept.length == 0
                ? request.setComplete()
                : request.writeWith(Mono.fromSupplier(() -> DefaultDataBufferFactory.sharedInstance.wrap(kept)));
    }

    static byte[] bytes(DataBuffer buffer) {
        byte[] bytes = new byte[buffer.readableByteCount()];
        buffer.read(bytes);
        DataBufferUtils.release(buffer);
        return bytes;
    }

    private final class Kept extends ClientHttpRequestDecorator {
        Kept(ClientHttpRequest request) {
            super(request);
        }

        @Override
        public Mono<Void> writeWith(Publisher<? extends DataBuffer> buffers) {
            headers = HttpHeaders.copyOf(getHeaders());
            ByteArrayOutputStream copy = new ByteArrayOutputStream();
            return super.writeWith(Flux.from(buffers)
                    .doOnSubscribe(subscription -> started = true)
                    .doOnNext(buffer -> keep(buffer, copy))
                    .doOnComplete(() -> bytes = copy.size() > LONGEST ? null : copy.toByteArray()));
        }

        @Override
        public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> buffers) {
            started = true;
            return super.writeAndFlushWith(buffers);
        }

        @Override
        public Mono<Void> setComplete() {
            headers = HttpHeaders.copyOf(getHeaders());
            bytes = new byte[0];
            return super.setComplete();
        }

        private void keep(DataBuffer buffer, ByteArrayOutputStream copy) {
            int length = buffer.readableByteCount();
            byte[] part = new byte[Math.min(length, LONGEST + 1 - Math.min(copy.size(), LONGEST + 1))];
            int position = buffer.readPosition();
            buffer.read(part);
            buffer.readPosition(position);
            copy.write(part, 0, part.length);
        }
    }
}
