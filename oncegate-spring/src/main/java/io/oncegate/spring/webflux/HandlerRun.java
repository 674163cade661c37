package io.oncegate.spring.webflux;

import io.oncegate.core.Call;
import io.oncegate.core.ClaimContext;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Outcome;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.spring.http.ExchangeEnd.How;
import io.oncegate.spring.http.HttpOperations.ReleasedAnswer;
import io.oncegate.spring.http.HttpOperations.UnknownAnswer;
import io.oncegate.spring.http.HttpSnapshot;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.http.KeyReading;
import io.oncegate.spring.http.internal.HandlerEnd;
import io.oncegate.spring.http.internal.OnceEnd;
import io.oncegate.spring.http.internal.UnrecordedClaim;
import io.oncegate.spring.webflux.IdempotencyWebFilter.Behind;
import java.io.IOException;
import java.sql.Connection;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

/** The handlers of one request, run to their end under its claim, whether or not the client still waits. */
final class HandlerRun {
    private final IdempotentRoute route;
    private final GatedExchange exchange;
    private final HeldResponse response;
    private final Behind behind;
    private final ContextView context;
    private volatile boolean begun;
    private volatile boolean timedOut;

    HandlerRun(
            IdempotentRoute route, GatedExchange exchange, HeldResponse response, Behind behind, ContextView context) {
        this.route = route;
        this.exchange = exchange;
        this.response = response;
        this.behind = behind;
        this.context = context;
    }

    /** Whether the handlers have begun to run. */
    boolean begun() {
        return begun;
    }

    /** Whether they were cancelled because they took too long. */
    boolean timedOut() {
        return timedOut;
    }

    /** Claims the key and runs them. Nobody who looks away from the result ends this. */
    CompletableFuture<Outcome<HttpSnapshot>> start(
            Oncegate oncegate, Call<HttpSnapshot> call, KeyReading reading, OnceEnd end) {
        CompletableFuture<Outcome<HttpSnapshot>> outcome;
        try {
            outcome = reading instanceof KeyReading.Unrecorded && !oncegate.inSameTransaction()
                    ? unrecorded(new UnrecordedClaim(route, call.key()))
                    : oncegate.runAsync(call, this::handle).toCompletableFuture();
        } catch (RuntimeException e) {
            outcome = CompletableFuture.failedFuture(e);
        }
        return outcome.whenComplete((done, failure) -> end.ended(how(done, failure)));
    }

    private How how(@Nullable Outcome<HttpSnapshot> outcome, @Nullable Throwable failure) {
        if (failure != null && unwrapped(failure) instanceof OutcomeNotRecordedException) {
            return How.UNKNOWN;
        } else if (!begun) {
            return How.NOT_RUN;
        }
        return outcome == null ? How.UNKNOWN : HandlerEnd.how(outcome);
    }

    private CompletableFuture<Outcome<HttpSnapshot>> unrecorded(UnrecordedClaim claim) {
        return handle(claim)
                .handle((value, failure) -> failure == null ? claim.succeed(value) : claim.fail(unwrapped(failure)));
    }

    private static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private CompletableFuture<HttpSnapshot> handle(ClaimContext claim) {
        if (claim.unwrap(Connection.class) != null) {
            return CompletableFuture.failedFuture(
                    new ReleasedAnswer("operation " + route.operation().name()
                            + " is in same-transaction mode, whose transaction does not reach reactive handlers; give the"
                            + " gate an Oncegate in claimed mode"));
        }
        begun = true;
        return handled()
                .contextWrite(inner -> inner.putAll(context))
                .subscribeOn(Schedulers.parallel())
                .toFuture();
    }

    private Mono<HttpSnapshot> handled() {
        return Mono.defer(() -> behind.chain().filter(exchange))
                .then(Mono.defer(response::setComplete))
                .onErrorResume(failure -> new KeptErrors(route, exchange, response).render(failure))
                .then(Mono.defer(this::end))
                .timeout(behind.handlerTimeout(), Mono.error(this::timeOut))
                .doFinally(signal -> exchange.cleanupMultipart().subscribe());
    }

    private UnknownAnswer timeOut() {
        timedOut = true;
        return new UnknownAnswer("the handlers were cancelled after " + behind.handlerTimeout());
    }

    private Mono<HttpSnapshot> end() {
        Mono<HandlerEnd> end = Mono.fromCallable(
                        () -> HandlerEnd.of(route, response.status(), response.headerLines(), response.body()))
                .onErrorResume(IOException.class, e -> Mono.just(HandlerEnd.withoutAnswer(response.status())));
        return (response.body().inMemory() ? end : end.subscribeOn(Schedulers.boundedElastic()))
                .flatMap(done -> done.failure() == null
                        ? Mono.just(Objects.requireNonNull(done.kept()))
                        : Mono.error(done.failure()));
    }
}
