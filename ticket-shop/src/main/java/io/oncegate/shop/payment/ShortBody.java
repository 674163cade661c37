package io.oncegate.shop.payment;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** The body of one answer, in UTF-8, given up where no right one goes on: what the provider sends costs little memory. */
final class ShortBody implements HttpResponse.BodySubscriber<String> {
    static final int MAX_BYTES = 16 * 1024;

    private final ByteArrayOutputStream read = new ByteArrayOutputStream();
    private final CompletableFuture<String> text = new CompletableFuture<>();
    private Flow.@Nullable Subscription subscription;

    @Override
    public CompletionStage<String> getBody() {
        return text;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        this.subscription = subscription;
        subscription.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> more) {
        for (ByteBuffer buffer : more) {
            byte[] bytes = new byte[Math.min(buffer.remaining(), MAX_BYTES + 1 - read.size())];
            buffer.get(bytes);
            read.write(bytes, 0, bytes.length);
        }
        if (subscription == null) {
            return;
        }
        if (read.size() > MAX_BYTES) {
            subscription.cancel();
            text.completeExceptionally(new IOException("the answer is longer than " + MAX_BYTES + " bytes"));
        } else {
            subscription.request(1);
        }
    }

    @Override
    public void onError(Throwable failure) {
        text.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        text.complete(read.toString(StandardCharsets.UTF_8));
    }
}
