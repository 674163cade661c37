package io.oncegate.core;

import io.oncegate.core.OnceEvent.Kind;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.BirthRule;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What both modes share: a call is a beginning, perhaps after waiting, then the business, then an end. */
abstract class AbstractOncegate implements Oncegate {
    private static final Duration FIRST_WAIT = Duration.ofMillis(5);
    private static final BirthRule NEVER_YOUNG = new BirthRule(Instant.EPOCH, Duration.ofMillis(1), Duration.ZERO);

    final Results results;
    final Events events;
    final Threads threads;
    final Duration settleFor;
    final Inquirer inquirer;
    final Inquiries inquiries;

    AbstractOncegate(Results results, Events events, Threads threads, Duration settleFor) {
        this.results = results;
        this.events = events;
        this.threads = threads;
        this.settleFor = settleFor;
        this.inquirer = new Inquirer(events, threads);
        this.inquiries = new Inquiries(threads, this::inquire);
    }

    /** Asks once about an unknown outcome, without running the business; after which time to ask again, or zero. */
    abstract Duration inquire(Call<?> call);

    /** The pause after an outcome that is left unknown; zero where nobody will ask. */
    Duration pauseAfter(Call<?> call, int asked) {
        return call.operation().settings().reconciler() == null ? Duration.ZERO : inquirer.pauseAfter(call, asked);
    }

    /** Records an outcome as unknown, and goes on asking about it from here, whether it could be recorded or not. */
    <T> Outcome<T> leaveUnknown(Call<?> call, Duration pause, Supplier<Outcome<T>> record) {
        try {
            return record.get();
        } finally {
            boolean ignored = inquiries.add(call, pause);
        }
    }

    /** When to ask again after this answer to an inquiry, or zero. */
    static Duration nextInquiry(ClaimAnswer answer) {
        if (answer instanceof ClaimAnswer.Held held) {
            return held.remaining().isZero() ? Duration.ofSeconds(1) : held.remaining();
        }
        return answer instanceof ClaimAnswer.Unknown unknown ? unknown.pause() : Duration.ZERO;
    }

    /** When to ask again after this outcome of an inquiry, or zero. */
    static Duration nextInquiry(Outcome<?> found) {
        if (found instanceof Outcome.Held<?> held) {
            return held.retryAfter();
        }
        return found instanceof Outcome.Unknown<?> unknown && unknown.retryAfter() != null
                ? unknown.retryAfter()
                : Duration.ZERO;
    }

    /**
     * The outcome of which nobody knows.
     *
     * @param pause how long nobody is let in to find out; zero where nobody will be
     */
    static <T> Outcome<T> unknown(Call<T> call, @Nullable Throwable cause, Duration pause) {
        return new Outcome.Unknown<>(call.key(), cause, pause.isZero() ? null : pause);
    }

    /** What a record says of an outcome that is known. */
    static Settlement settlement(Call<?> call, RecordState state, @Nullable Payload result) {
        Operation.Settings<?> settings = call.operation().settings();
        return new Settlement(state, result, settings.retention(), settings.resultRetention());
    }

    /** A request that asks and never runs: no key is young enough for it where no record answers. */
    ClaimRequest inquiry(Call<?> call) {
        ClaimRequest request = request(call, AttemptId.random());
        return new ClaimRequest(
                request.id(),
                request.operation(),
                request.fingerprint(),
                request.attempt(),
                request.lease(),
                request.retention(),
                request.maxAsks(),
                NEVER_YOUNG);
    }

    /** Asks the store once: a claim, or an outcome, held included. */
    abstract <T> Begun<T> tryBegin(Call<T> call, AttemptId attempt);

    /** Whether a claim may be ended on another thread than the one that began it. */
    abstract void requireMovable(Claim<?> claim);

    @Override
    public <T, E extends Exception> Outcome<T> run(Call<T> call, Work<? extends T, E> work) throws E {
        Begun<T> begun = begin(call);
        if (begun instanceof Begun.Answered<T> answered) {
            return answered.outcome();
        }
        Claim<T> claim = ((Begun.Started<T>) begun).claim();
        T value;
        try {
            value = work.run(claim);
        } catch (Throwable failure) {
            Outcome<T> outcome = failed(claim, failure);
            if (outcome instanceof Outcome.Failed) {
                throw failure;
            }
            return outcome;
        }
        return claim.succeed(value);
    }

    @Override
    public <T> CompletionStage<Outcome<T>> runAsync(Call<T> call, AsyncWork<T> work) {
        results.check(call.operation());
        CompletableFuture<Outcome<T>> answer = new CompletableFuture<>();
        AttemptId attempt = AttemptId.random();
        long deadline =
                System.nanoTime() + call.operation().settings().waitUpTo().toNanos();
        onCaller(answer, () -> beginAsync(call, work, attempt, deadline, new Backoff(FIRST_WAIT), answer));
        return answer.minimalCompletionStage();
    }

    private <T> void beginAsync(
            Call<T> call,
            AsyncWork<T> work,
            AttemptId attempt,
            long deadline,
            Backoff backoff,
            CompletableFuture<Outcome<T>> answer) {
        Begun<T> begun = tryBegin(call, attempt);
        if (begun instanceof Begun.Started<T> started) {
            start(started.claim(), work, answer);
            return;
        }
        Outcome<T> outcome = ((Begun.Answered<T>) begun).outcome();
        long left = deadline - System.nanoTime();
        if (outcome instanceof Outcome.Held<T> && left > 0) {
            threads.callLater(
                    guarded(answer, () -> beginAsync(call, work, attempt, deadline, backoff, answer)),
                    backoff.nextNanos(left));
            return;
        }
        answer.complete(told(call, outcome));
    }

    private <T> void start(Claim<T> claim, AsyncWork<T> work, CompletableFuture<Outcome<T>> answer) {
        CompletionStage<T> stage;
        try {
            requireMovable(claim);
        } catch (RuntimeException e) {
            claim.release();
            throw e;
        }
        try {
            stage = work.start(claim);
            if (stage == null) {
                throw new NullPointerException("the asynchronous work returned no stage");
            }
        } catch (Throwable failure) {
            answer.complete(failed(claim, failure));
            return;
        }
        // The stage may complete on a thread that must not block, such as a driver's: the store is asked on ours.
        CompletionStage<?> ignored = stage.whenComplete((value, failure) -> onCaller(
                answer,
                () -> answer.complete(
                        failure == null ? claim.succeed(value) : failed(claim, withoutWrapping(failure)))));
    }

    private static Throwable withoutWrapping(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private void onCaller(CompletableFuture<?> answer, Runnable task) {
        try {
            threads.call(guarded(answer, task));
        } catch (RuntimeException e) {
            answer.completeExceptionally(
                    new IllegalStateException("this Oncegate is closed; no call can begin or end here", e));
        }
    }

    private static Runnable guarded(CompletableFuture<?> answer, Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (Throwable e) {
                answer.completeExceptionally(e);
            }
        };
    }

    private static <T> Outcome<T> failed(Claim<T> claim, Throwable failure) {
        try {
            return claim.fail(failure);
        } catch (RuntimeException e) {
            if (e != failure) {
                e.addSuppressed(failure);
            }
            throw e;
        }
    }

    @Override
    public <T> Begun<T> begin(Call<T> call) {
        results.check(call.operation());
        AttemptId attempt = AttemptId.random();
        Begun<T> begun = tryBegin(call, attempt);
        if (begun instanceof Begun.Started<T>) {
            return begun;
        }
        Outcome<T> outcome = ((Begun.Answered<T>) begun).outcome();
        long deadline =
                System.nanoTime() + call.operation().settings().waitUpTo().toNanos();
        Backoff backoff = new Backoff(FIRST_WAIT);
        while (outcome instanceof Outcome.Held<T> && pause(backoff, deadline)) {
            begun = tryBegin(call, attempt);
            if (begun instanceof Begun.Started<T>) {
                return begun;
            }
            outcome = ((Begun.Answered<T>) begun).outcome();
        }
        return new Begun.Answered<>(told(call, outcome));
    }

    /** Waits a little; false when the deadline has passed or the thread is interrupted. */
    static boolean pause(Backoff backoff, long deadline) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            return false;
        }
        try {
            TimeUnit.NANOSECONDS.sleep(backoff.nextNanos(left));
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    ClaimRequest request(Call<?> call, AttemptId attempt) {
        Operation.Settings<?> settings = call.operation().settings();
        return new ClaimRequest(
                call.key().id(),
                call.operation().name(),
                call.fingerprint(),
                attempt,
                settings.lease(),
                settings.retention(),
                settings.reconciler() == null ? 0 : settings.reconciling().maxAsks(),
                call.birthRule());
    }

    /**
     * A request and the store's answer to it. Where the record speaks another version of the fingerprint that means the
     * same, the request takes over the record's form and is sent again.
     */
    record Asked(ClaimRequest request, ClaimAnswer answer, long sentNanos) {}

    static Asked ask(ClaimRequest request, Function<ClaimRequest, ClaimAnswer> store) {
        ClaimRequest current = request;
        while (true) {
            long sent = System.nanoTime();
            ClaimAnswer answer = store.apply(current);
            if (!(answer instanceof ClaimAnswer.Mismatch mismatch)
                    || current.fingerprint().equals(mismatch.stored())
                    || !request.fingerprint().matches(mismatch.stored())) {
                return new Asked(current, answer, sent);
            }
            current = request.withFingerprint(mismatch.stored());
        }
    }

    /** The outcome that an answer without a claim stands for. */
    <T> Outcome<T> outcome(Call<T> call, ClaimAnswer answer) {
        if (answer instanceof ClaimAnswer.Replay replay) {
            return results.decode(call, replay.state(), replay.result());
        } else if (answer instanceof ClaimAnswer.Held held) {
            Duration remaining = held.remaining().isZero() ? Duration.ofSeconds(1) : held.remaining();
            return new Outcome.Held<>(call.key(), remaining);
        } else if (answer instanceof ClaimAnswer.Mismatch mismatch) {
            return new Outcome.Mismatch<>(call.key(), call.fingerprint().differences(mismatch.stored()));
        } else if (answer instanceof ClaimAnswer.NoResult none) {
            return new Outcome.NoResult<>(call.key(), none.state() == RecordState.REFUSED);
        } else if (answer instanceof ClaimAnswer.Unknown unknown) {
            return unknown(call, null, unknown.pause());
        } else if (answer instanceof ClaimAnswer.OutOfTime out) {
            return new Outcome.Expired<>(call.key(), out.fromFuture());
        }
        throw new IllegalStateException("a claim is not an outcome: " + answer);
    }

    /** Tells the listeners of an outcome that is given to the caller. */
    <T> Outcome<T> told(Call<T> call, Outcome<T> outcome) {
        events.tell(kind(outcome), call.key());
        return outcome;
    }

    private static Kind kind(Outcome<?> outcome) {
        if (outcome instanceof Outcome.Executed) {
            return Kind.EXECUTED;
        } else if (outcome instanceof Outcome.Replayed) {
            return Kind.REPLAYED;
        } else if (outcome instanceof Outcome.Refused<?> refused) {
            return refused.replayed() ? Kind.REFUSAL_REPLAYED : Kind.REFUSED;
        } else if (outcome instanceof Outcome.Held) {
            return Kind.HELD;
        } else if (outcome instanceof Outcome.Mismatch) {
            return Kind.MISMATCH;
        } else if (outcome instanceof Outcome.NoResult) {
            return Kind.NO_RESULT;
        } else if (outcome instanceof Outcome.Unknown) {
            return Kind.UNKNOWN;
        } else if (outcome instanceof Outcome.Expired) {
            return Kind.EXPIRED;
        } else if (outcome instanceof Outcome.Failed) {
            return Kind.FAILED;
        }
        return Kind.UNPROTECTED;
    }

    /** Runs it with the thread's interrupt flag put aside: an outcome has to be recorded all the same. */
    static <R> R uninterrupted(Supplier<R> task) {
        boolean interrupted = Thread.interrupted();
        try {
            return task.get();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void check(Operation<?> operation) {
        results.check(operation);
    }

    @Override
    public void close() {
        threads.close();
    }
}
