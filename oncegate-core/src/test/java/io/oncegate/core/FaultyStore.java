package io.oncegate.core;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A store whose calls fail before they arrive, or lose their replies, as the test says; it counts its calls. */
final class FaultyStore implements RecordStore {
    enum Fault {
        NONE,
        FAILS,
        REPLY_LOST
    }

    enum Method {
        CLAIM,
        RENEW,
        SETTLE,
        RELEASE
    }

    private final RecordStore real;
    private final Map<Method, Queue<Fault>> faults = new ConcurrentHashMap<>();
    private final Map<Method, Fault> always = new ConcurrentHashMap<>();
    private final Map<Method, AtomicInteger> calls = new ConcurrentHashMap<>();

    FaultyStore(RecordStore real) {
        this.real = real;
    }

    void next(Method method, Fault... next) {
        faults.computeIfAbsent(method, m -> new ArrayDeque<>()).addAll(java.util.List.of(next));
    }

    void always(Method method, Fault fault) {
        always.put(method, fault);
    }

    int calls(Method method) {
        return calls.computeIfAbsent(method, m -> new AtomicInteger()).get();
    }

    private <A> A call(Method method, Supplier<A> call) {
        calls.computeIfAbsent(method, m -> new AtomicInteger()).incrementAndGet();
        Queue<Fault> queue = faults.getOrDefault(method, new ArrayDeque<>());
        Fault next;
        synchronized (queue) {
            next = queue.poll();
        }
        Fault fault = next == null ? always.getOrDefault(method, Fault.NONE) : next;
        if (fault == Fault.FAILS) {
            throw new StoreUnavailableException(name(), "made to fail; try again", null);
        }
        A answer = call.get();
        if (fault == Fault.REPLY_LOST) {
            throw new StoreUnavailableException(name(), "made to lose its reply; try again", null);
        }
        return answer;
    }

    @Override
    public String name() {
        return "faulty";
    }

    @Override
    public ClaimAnswer claim(ClaimRequest request) {
        return call(Method.CLAIM, () -> real.claim(request));
    }

    @Override
    public HolderAnswer renew(ClaimRef claim, Duration lease) {
        return call(Method.RENEW, () -> real.renew(claim, lease));
    }

    @Override
    public HolderAnswer settle(ClaimRef claim, Settlement settlement) {
        return call(Method.SETTLE, () -> real.settle(claim, settlement));
    }

    @Override
    public HolderAnswer release(ClaimRef claim) {
        return call(Method.RELEASE, () -> real.release(claim));
    }
}
