package io.oncegate.spring.lock;

import io.oncegate.core.key.OperationKey;
import io.oncegate.spring.internal.Body;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The holds of the calls that this thread is in, and of its transactions that have not ended. */
final class ThreadHolds {
    private static final ThreadLocal<ThreadHolds> OF_THREAD = new ThreadLocal<>();

    /** Under which the thread's calls run, the innermost last. */
    private final List<Hold> running = new ArrayList<>(2);

    /** Whose calls have ended, or will end before their transactions. */
    private final List<Hold> inTransactions = new ArrayList<>(2);

    private ThreadHolds() {}

    private static ThreadHolds here() {
        ThreadHolds here = OF_THREAD.get();
        if (here == null) {
            here = new ThreadHolds();
            OF_THREAD.set(here);
        }
        return here;
    }

    private void dropIfEmpty() {
        if (running.isEmpty() && inTransactions.isEmpty()) {
            OF_THREAD.remove();
        }
    }

    /** The hold of this lock that this thread knows of, or null. */
    static @Nullable Hold find(LockPlan plan, OperationKey key) {
        ThreadHolds here = OF_THREAD.get();
        if (here == null) {
            return null;
        }
        for (List<Hold> holds : List.of(here.running, here.inTransactions)) {
            for (Hold hold : holds) {
                if (hold.isOf(plan, key)) {
                    return hold;
                }
            }
        }
        return null;
    }

    /** The innermost hold under which this thread runs, or null. */
    static @Nullable Hold innermost() {
        ThreadHolds here = OF_THREAD.get();
        return here == null || here.running.isEmpty() ? null : here.running.get(here.running.size() - 1);
    }

    /** All under which this thread runs, the innermost last. */
    static List<Hold> running() {
        ThreadHolds here = OF_THREAD.get();
        return here == null ? List.of() : List.copyOf(here.running);
    }

    /** Runs it under these holds. */
    static <R> @Nullable R with(List<Hold> holds, Body<R> body) throws Throwable {
        ThreadHolds here = here();
        int before = here.running.size();
        here.running.addAll(holds);
        try {
            return body.run();
        } finally {
            here.running.subList(before, here.running.size()).clear();
            here.dropIfEmpty();
        }
    }

    static void addInTransaction(Hold hold) {
        List<Hold> known = here().inTransactions;
        known.removeIf(Hold::isEnded); // of a transaction that has ended on another thread
        known.add(hold);
    }

    /** Forgets a transaction's hold, if this thread knows it: a transaction may end on another one. */
    static void removeInTransaction(Hold hold) {
        ThreadHolds here = OF_THREAD.get();
        if (here != null) {
            here.inTransactions.remove(hold);
            here.dropIfEmpty();
        }
    }
}
