package io.oncegate.spring.webflux;

import io.oncegate.core.Call;
import io.oncegate.core.Outcome;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.key.Scope;
import io.oncegate.spring.http.ExchangeEnd.How;
import io.oncegate.spring.http.HttpOperations.RefusedAnswer;
import io.oncegate.spring.http.HttpOperations.ReleasedAnswer;
import io.oncegate.spring.http.HttpOperations.UnknownAnswer;
import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.HttpSnapshot;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.http.KeyReading;
import io.oncegate.spring.http.KeySource;
import io.oncegate.spring.http.internal.GateRequest;
import io.oncegate.spring.http.internal.HandlerEnd;
import io.oncegate.spring.http.internal.HttpGate;
import io.oncegate.spring.http.internal.OnceEnd;
import io.oncegate.spring.http.internal.RefusedBody;
import io.oncegate.spring.webflux.IdempotencyWebFilter.Behind;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** One request to a protected route, from its key to its answer. The client waits for this; the handlers do not. */
final class GuardedExchange {
    private final HttpGate gate;
    private final BodyReader reader;
    private final IdempotentRoute route;
    private final String path;
    private final @Nullable Scope scope;
    private final ServerWebExchange exchange;
    private final Answers answers;
    private final Buffers buffers = new Buffers();
    private volatile OnceEnd end = new OnceEnd(null);
    private volatile boolean over;

    GuardedExchange(
            HttpGate gate,
            BodyReader reader,
            IdempotentRoute route,
            String path,
            @Nullable Scope scope,
            ServerWebExchange exchange) {
        this.gate = gate;
        this.reader = reader;
        this.route = route;
        this.path = path;
        this.scope = scope;
        this.exchange = exchange;
        this.answers = new Answers(exchange);
    }

    Mono<Void> pass(Behind behind) {
        if (scope == null && route.keyRequired()) {
            return answers.problem(Objects.requireNonNull(gate.refusal(route, null, null)));
        }
        KeySource keys = gate.keysOf(route);
        Mono<Void> work = keys.needsBody()
                ? body().flatMap(read -> reading(keys, read).flatMap(reading -> withBody(reading, read, behind)))
                : reading(keys, null).flatMap(reading -> withKey(reading, behind));
        return work.onErrorResume(RefusedBody.class, e -> told(How.NOT_RUN).then(answers.problem(e.problem())))
                .doFinally(signal -> {
                    over = true;
                    if (!buffers.answered()) {
                        told(How.NOT_RUN).subscribe();
                    }
                });
    }

    private Mono<BodyReader.Read> body() {
        return reader.read(exchange, path, buffers);
    }

    private Mono<KeyReading> reading(KeySource keys, BodyReader.@Nullable Read read) {
        GateRequest asked = new GateRequest(
                scope,
                exchange.getRequest().getHeaders()::getOrEmpty,
                exchange.getRequest().getURI().getRawQuery(),
                read == null ? null : read.body());
        if (!keys.mayBlock()) {
            return Mono.fromSupplier(() -> read(keys, asked));
        }
        // Not cancelled with the client: a source that has used something up has to learn how that ended.
        return Mono.fromFuture(
                () -> CompletableFuture.supplyAsync(
                        () -> read(keys, asked),
                        task -> Schedulers.boundedElastic().schedule(task)),
                true);
    }

    private KeyReading read(KeySource keys, GateRequest asked) {
        KeyReading reading = keys.read(asked);
        OnceEnd told = HttpGate.endOf(reading);
        end = told;
        if (over) {
            told.ended(How.NOT_RUN);
        }
        return reading;
    }

    private Mono<Void> withKey(KeyReading reading, Behind behind) {
        if (HttpGate.passes(route, reading)) {
            return behind.chain().filter(exchange);
        }
        HttpProblem problem = gate.refusal(route, scope, reading);
        return problem != null
                ? told(How.NOT_RUN).then(answers.problem(problem))
                : body().flatMap(read -> claim(reading, read, behind));
    }

    private Mono<Void> withBody(KeyReading reading, BodyReader.Read read, Behind behind) {
        if (HttpGate.passes(route, reading)) {
            GatedExchange gated = new GatedExchange(exchange, exchange.getResponse(), read);
            return behind.chain()
                    .filter(gated)
                    .doFinally(signal -> gated.cleanupMultipart().subscribe());
        }
        HttpProblem problem = gate.refusal(route, scope, reading);
        return problem != null ? told(How.NOT_RUN).then(answers.problem(problem)) : claim(reading, read, behind);
    }

    private Mono<Void> claim(KeyReading reading, BodyReader.Read read, Behind behind) {
        return Mono.deferContextual(context -> {
            Call<HttpSnapshot> call;
            try {
                call = HttpGate.call(route, Objects.requireNonNull(scope), reading, path, read.body());
            } catch (InvalidKeyException e) {
                return told(How.NOT_RUN).then(failed(e));
            }
            String key = HttpGate.keyOf(reading);
            if (key != null) {
                exchange.getAttributes().put(KeySource.ATTRIBUTE, key);
            }
            HeldResponse held = new HeldResponse(
                    exchange.getResponse().bufferFactory(),
                    buffers,
                    gate.settings().memoryThreshold());
            HandlerRun run = new HandlerRun(route, new GatedExchange(exchange, held, read), held, behind, context);
            if (!buffers.run()) {
                return Mono.empty(); // the client has gone, and nothing has begun
            }
            CompletableFuture<Outcome<HttpSnapshot>> outcome =
                    run.start(behind.oncegate(), call, reading, end).whenComplete((done, failure) -> buffers.ran());
            return Mono.fromFuture(() -> outcome, true)
                    .publishOn(Schedulers.parallel())
                    .map(told -> answer(told, reading, run, held, behind.replays()))
                    .onErrorResume(failure -> Mono.just(failed(failure))) // the engine's own, and not the handlers'
                    .flatMap(answer -> answer);
        });
    }

    private Mono<Void> failed(Throwable failure) {
        HttpProblem problem = gate.problemOf(failure);
        return problem == null ? Mono.error(failure) : answers.problem(problem);
    }

    private Mono<Void> answer(
            Outcome<HttpSnapshot> outcome,
            KeyReading reading,
            HandlerRun run,
            HeldResponse held,
            ReactiveReplayAuthorizer replays) {
        if (!HandlerEnd.isOurs(outcome)) {
            return run.begun() ? kept(outcome, reading) : authorised(outcome, reading, replays);
        }
        Throwable failure = failureOf(outcome);
        if (failure instanceof ReleasedAnswer && !run.begun()) {
            return Mono.error(new IllegalStateException(failure.getMessage()));
        }
        if (run.timedOut()) {
            return answers.problem(HttpProblem.outcomeUnknown().withStatus(503));
        }
        return failure == null
                        || failure instanceof ReleasedAnswer
                        || failure instanceof UnknownAnswer
                        || failure instanceof RefusedAnswer
                ? answers.send(held)
                : Mono.error(failure);
    }

    private Mono<Void> authorised(Outcome<HttpSnapshot> outcome, KeyReading reading, ReactiveReplayAuthorizer replays) {
        return replays.mayReplay(exchange, route)
                .defaultIfEmpty(false)
                .flatMap(may -> may ? kept(outcome, reading) : answers.problem(HttpGate.replayForbidden()));
    }

    private Mono<Void> kept(Outcome<HttpSnapshot> outcome, KeyReading reading) {
        return Mono.defer(() -> answers.send(HttpGate.answer(outcome, reading, answers.accepted())));
    }

    private static @Nullable Throwable failureOf(Outcome<?> outcome) {
        if (outcome instanceof Outcome.Failed<?> failed) {
            return failed.failure();
        } else if (outcome instanceof Outcome.Unknown<?> unknown) {
            return unknown.cause();
        }
        return outcome instanceof Outcome.Refused<?> refused ? refused.refusal() : null;
    }

    /** Tells the key's source, on a thread that may wait. */
    private Mono<Void> told(How how) {
        OnceEnd told = end;
        return told.done()
                ? Mono.empty()
                : Mono.<Void>fromRunnable(() -> told.ended(how)).subscribeOn(Schedulers.boundedElastic());
    }
}
