package io.oncegate.spring.client;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads a short answer whole and decides by it; where it is the caller's, hands the bytes on to his subscriber. A longer
 * answer is the caller's in any case.
 */
final class PeekingSubscriber<T> implements BodySubscriber<Decision<T>> {
    private final Supplier<BodySubscriber<T>> callers;
    private final Function<byte[], Optional<Duration>> decide;
    private final CompletableFuture<Decision<T>> decision = new CompletableFuture<>();
    private final List<ByteBuffer> head = new ArrayList<>();
    private long size;
    private @Nullable Subscription upstream;
    private @Nullable BodySubscriber<T> caller;

    PeekingSubscriber(Supplier<BodySubscriber<T>> callers, Function<byte[], Optional<Duration>> decide) {
        this.callers = callers;
        this.decide = decide;
    }

    @Override
    public CompletionStage<Decision<T>> getBody() {
        return decision;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        upstream = subscription;
        subscription.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        if (caller != null) {
            caller.onNext(buffers);
            return;
        }
        head.addAll(buffers);
        size += buffers.stream().mapToLong(ByteBuffer::remaining).sum();
        Subscription subscription = Objects.requireNonNull(upstream);
        if (size > InProgressProblem.LONGEST) {
            handOver(subscription, false);
        } else {
            subscription.request(1);
        }
    }

    @Override
    public void onError(Throwable failure) {
        if (caller == null) {
            decision.completeExceptionally(failure);
        } else {
            caller.onError(failure);
        }
    }

    @Override
    public void onComplete() {
        if (caller != null) {
            caller.onComplete();
            return;
        }
        Optional<Duration> wait = decide.apply(bytes());
        if (wait.isPresent()) {
            decision.complete(Decision.again(wait.get()));
        } else {
            handOver(Objects.requireNonNull(upstream), true);
        }
    }

    private byte[] bytes() {
        ByteBuffer all = ByteBuffer.allocate((int) size);
        head.forEach(buffer -> all.put(buffer.duplicate()));
        return all.array();
    }

    private void handOver(Subscription subscription, boolean complete) {
        BodySubscriber<T> subscriber = callers.get();
        caller = subscriber;
        var unused = subscriber.getBody().whenComplete((body, failure) -> {
            if (failure == null) {
                decision.complete(Decision.answer(body));
            } else {
                decision.completeExceptionally(failure);
            }
        });
        subscriber.onSubscribe(new HeadFirst<>(subscriber, List.copyOf(head), subscription, complete));
    }

    /** Serves what has been read at the first request, and the rest from upstream. */
    private static final class HeadFirst<T> implements Subscription {
        private final BodySubscriber<T> subscriber;
        private final Subscription upstream;
        private final boolean complete;
        private @Nullable List<ByteBuffer> head;

        HeadFirst(BodySubscriber<T> subscriber, List<ByteBuffer> head, Subscription upstream, boolean complete) {
            this.subscriber = subscriber;
            this.head = head;
            this.upstream = upstream;
            this.complete = complete;
        }

        @Override
        public void request(long n) {
            @Nullable List<ByteBuffer> first = taken();
            if (first == null) {
                if (!complete) {
                    upstream.request(n);
                }
                return;
            }
            subscriber.onNext(first);
            if (complete) {
                subscriber.onComplete();
            } else if (n > 1) {
                upstream.request(n - 1);
            }
        }

        private synchronized @Nullable List<ByteBuffer> taken() {
            @Nullable List<ByteBuffer> first = head;
            head = null;
            return first;
        }

        @Override
        public void cancel() {
            upstream.cancel();
        }
    }
}
