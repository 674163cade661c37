package io.oncegate.core;

import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.RecordId;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes on asking about the outcomes that this process left unknown, so that they are found out without another request.
 * Bounded in number: what is dropped here, or by a restart, is asked about by the next request of its key. Thread-safe.
 */
final class Inquiries {
    private static final Logger LOG = LoggerFactory.getLogger(Inquiries.class);
    private static final int MAX_PENDING = 1000;

    private final Set<RecordId> pending = ConcurrentHashMap.newKeySet();
    private final Threads threads;
    private final Function<Call<?>, Duration> ask;

    /**
     * Creates it.
     *
     * @param ask asks once and says after which time to ask again; zero if there is nothing more to ask
     */
    Inquiries(Threads threads, Function<Call<?>, Duration> ask) {
        this.threads = threads;
        this.ask = ask;
    }

    /** Asks after this time, and again as long as there is something to ask; nothing if it is zero or is asked already. */
    void add(Call<?> call, Duration pause) {
        if (!pause.isZero()
                && pending.size() < MAX_PENDING
                && pending.add(call.key().id())) {
            schedule(call, pause);
        }
    }

    private void schedule(Call<?> call, Duration pause) {
        try {
            threads.inquireLater(() -> run(call), pause.toNanos());
        } catch (RejectedExecutionException e) {
            pending.remove(call.key().id()); // closed meanwhile
        }
    }

    private void run(Call<?> call) {
        Duration next = Duration.ZERO;
        try {
            next = ask.apply(call);
        } catch (StoreUnavailableException | OutcomeNotRecordedException e) {
            next = Inquirer.policy(call).longestPause();
        } catch (RuntimeException e) {
            LOG.warn("{}: not asked about any more here; the next request will", call.key(), e);
        } finally {
            if (next.isZero()) {
                pending.remove(call.key().id());
            }
        }
        if (!next.isZero()) {
            schedule(call, next);
        }
    }
}
