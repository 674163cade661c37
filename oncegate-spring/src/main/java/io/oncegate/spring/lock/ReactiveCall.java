package io.oncegate.spring.lock;

import io.oncegate.core.key.OperationKey;
import io.oncegate.spring.internal.Sneaky;
import io.oncegate.spring.lock.Entrance.Inside;
import java.util.ArrayList;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.util.ClassUtils;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;

/** One subscription to what an annotated method returns. */
final class ReactiveCall {
    private static final boolean REACTIVE_TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.reactive.TransactionSynchronizationManager",
            ReactiveCall.class.getClassLoader());

    private final LockPlan plan;
    private final MethodInvocation invocation;
    private final List<Hold> outer;
    private volatile @Nullable Entrance taken;
    private volatile @Nullable Object result;

    /**
     * A subscription.
     *
     * @param outer the holds of the call chain, the innermost last
     */
    ReactiveCall(LockPlan plan, MethodInvocation invocation, List<Hold> outer) {
        this.plan = plan;
        this.invocation = invocation;
        this.outer = outer;
    }

    /** Gives a ticket once the lock has been acquired, or the call is answered without. */
    Mono<Ticket> enter() {
        OperationKey key = plan.key(invocation.getArguments());
        if (LockDoor.TRANSACTIONS && plan.joinsCaller() && TransactionHold.canBeJoined(plan)) {
            return Mono.error(unsafe(
                    key,
                    "inside of a transaction that is bound to the thread, of which its work would not be part; nothing was"
                            + " run. Subscribe outside of the transaction, or return a value"));
        }
        if (!REACTIVE_TRANSACTIONS || !plan.joinsCaller()) {
            return acquired(key);
        }
        return ReactiveTransactions.isActive()
                .flatMap(active -> active
                        ? Mono.error(unsafe(
                                key,
                                "inside of a reactive transaction, and its lock would end before the commit; nothing was"
                                        + " run. Put the lock around the transaction, or give the method a transaction of"
                                        + " its own (REQUIRES_NEW)"))
                        : acquired(key));
    }

    private UnsafeHoldException unsafe(OperationKey key, String why) {
        return new UnsafeHoldException(plan.label() + ": its Mono or Flux is subscribed to " + why, key.digest());
    }

    private Mono<Ticket> acquired(OperationKey key) {
        for (Hold hold : outer) {
            Entrance again = hold.isOf(plan, key) && hold.isRunning() ? LockDoor.again(plan, hold) : null;
            if (again != null) {
                Ticket ticket = new Ticket();
                return ticket.offer(again) ? Mono.just(ticket) : Mono.empty();
            }
        }
        return Mono.create(sink -> acquire(key, sink));
    }

    private void acquire(OperationKey key, MonoSink<Ticket> sink) {
        Ticket ticket = new Ticket();
        Disposable task = Schedulers.boundedElastic().schedule(() -> {
            try {
                if (ticket.offer(LockDoor.acquire(plan, key))) {
                    sink.success(ticket);
                }
            } catch (Throwable e) {
                if (!ticket.isAbandoned()) {
                    sink.error(e);
                }
            } finally {
                var ignored = Thread.interrupted(); // by the cancellation: no concern of the scheduler's next task
            }
        });
        sink.onCancel(() -> {
            Entrance offered = ticket.abandon();
            task.dispose();
            if (offered != null) {
                var unused = Schedulers.boundedElastic().schedule(() -> Ticket.giveBack(offered));
            }
        });
    }

    Mono<Object> mono(Ticket ticket) {
        Entrance entrance = ticket.take();
        taken = entrance;
        if (entrance == null) {
            return Mono.empty();
        } else if (entrance instanceof Entrance.Answer answer) {
            return Mono.justOrEmpty(answer.value());
        }
        Mono<Object> business = Mono.defer(() -> proceed(entrance, Mono.empty()));
        return under(entrance, business.doOnNext(value -> result = value));
    }

    Publisher<Object> flux(Ticket ticket) {
        Entrance entrance = ticket.take();
        taken = entrance;
        if (entrance == null) {
            return Flux.empty();
        } else if (entrance instanceof Entrance.Answer answer) {
            return answer.value() instanceof List<?> list ? Flux.fromIterable(list) : Flux.empty();
        }
        Flux<Object> business = Flux.defer(() -> proceed(entrance, Flux.<Object>empty()));
        if (plan.results() == null) {
            return entrance instanceof Inside inside
                    ? business.contextWrite(context -> ReactiveHolds.with(context, holds(inside)))
                    : business;
        }
        return under(entrance, business.collectList().doOnNext(list -> result = list))
                .flatMapIterable(list -> list);
    }

    private <T> Mono<T> under(Entrance entrance, Mono<T> business) {
        return entrance instanceof Inside inside
                ? business.contextWrite(context -> ReactiveHolds.with(context, holds(inside)))
                : business;
    }

    private List<Hold> holds(Inside inside) {
        List<Hold> all = new ArrayList<>(outer);
        all.add(inside.hold());
        return List.copyOf(all);
    }

    @SuppressWarnings("unchecked")
    private <P extends Publisher<Object>> P proceed(Entrance entrance, P none) {
        MethodInvocation once =
                invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
        Object made = entrance instanceof Inside inside
                ? Sneaky.run(() -> ThreadHolds.with(holds(inside), once::proceed))
                : Sneaky.run(once::proceed);
        return made == null ? none : (P) made;
    }

    Publisher<Object> completed(Ticket ticket) {
        return left(inside -> inside.returned(result));
    }

    Publisher<Object> failed(Ticket ticket, Throwable failure) {
        return left(inside -> inside.ended(plan.threw(failure)));
    }

    /** How far the work had come, nobody knows. */
    Publisher<Object> cancelled(Ticket ticket) {
        return left(inside -> inside.ended(Ending.UNKNOWN));
    }

    private Mono<Object> left(java.util.function.Consumer<Inside> end) {
        return taken instanceof Inside inside
                ? Mono.fromRunnable(() -> end.accept(inside)).subscribeOn(Schedulers.boundedElastic())
                : Mono.empty();
    }
}
