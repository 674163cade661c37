package io.oncegate.spring.client;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * {@link LogicalCall} for Reactor: each subscription of the whole is a call, and each subscription of what is retried is an
 * attempt. The call travels in the subscriber's context and is bound to no thread. It is needed where each attempt builds
 * its request anew, as within {@code Mono.defer}; a {@code WebClient} request that is only subscribed to again keeps its key
 * by itself.
 */
public final class ReactiveCalls {
    private ReactiveCalls() {}

    /** A call whose attempts are the subscriptions that the retry makes: {@code keep(order, m -> m.retry(2))}. */
    public static <T> Mono<T> keep(Mono<T> attempt, UnaryOperator<Mono<T>> retry) {
        return call(retry.apply(attempts(attempt)));
    }

    /** A call whose attempts are the subscriptions that the retry makes. */
    public static <T> Flux<T> keep(Flux<T> attempt, UnaryOperator<Flux<T>> retry) {
        return call(retry.apply(attempts(attempt)));
    }

    static <T> Mono<T> call(Mono<T> whole) {
        return whole.contextWrite(ReactiveCalls::withCall);
    }

    static <T> Flux<T> call(Flux<T> whole) {
        return whole.contextWrite(ReactiveCalls::withCall);
    }

    static <T> Mono<T> attempts(Mono<T> source) {
        return source.contextWrite(ReactiveCalls::withAttempt);
    }

    static <T> Flux<T> attempts(Flux<T> source) {
        return source.contextWrite(ReactiveCalls::withAttempt);
    }

    static @Nullable Attempt attempt(ContextView context) {
        return context.<Attempt>getOrEmpty(Attempt.class).orElse(null);
    }

    private static Context withCall(Context context) {
        return context.put(LogicalCall.class, LogicalCall.begin(attempt(context)));
    }

    private static Context withAttempt(Context context) {
        return context.put(Attempt.class, new Attempt(context.get(LogicalCall.class)));
    }
}
