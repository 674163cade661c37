package io.oncegate.core;

import io.oncegate.core.codec.BasicCodec;
import io.oncegate.core.codec.ResultCodec;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.TransactionalRecordStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects what an {@link Oncegate} is made of. Not thread-safe. */
public final class OncegateBuilder {
    /** How long an outcome is sent again before the caller is told that it was not recorded. */
    public static final Duration DEFAULT_SETTLE_FOR = Duration.ofSeconds(3);

    private final @Nullable RecordStore claimed;
    private final @Nullable TransactionalRecordStore transactional;
    private final List<OnceListener> listeners = new ArrayList<>();
    private ResultCodec codec = new BasicCodec();
    private Duration settleFor = DEFAULT_SETTLE_FOR;
    private int asyncThreads = 8;

    OncegateBuilder(@Nullable RecordStore claimed, @Nullable TransactionalRecordStore transactional) {
        this.claimed = claimed;
        this.transactional = transactional;
    }

    /** Stores results; by default the platform's simple types only. */
    public OncegateBuilder codec(ResultCodec codec) {
        if (!codec.id().matches("[!-~]{1,16}")) {
            throw new IllegalArgumentException("a codec's id has 1 to 16 printable ASCII characters");
        }
        this.codec = codec;
        return this;
    }

    /** Adds one who is told what happens. */
    public OncegateBuilder listener(OnceListener listener) {
        listeners.add(listener);
        return this;
    }

    /**
     * How long an outcome that the store did not take is sent again, or an unknown commit looked for, before the caller is
     * told that it was not recorded. Zero or more; each single call to the store has its own bound besides.
     */
    public OncegateBuilder settleFor(Duration settleFor) {
        if (settleFor.isNegative()) {
            throw new IllegalArgumentException("the time for settling is zero or more, not " + settleFor);
        }
        this.settleFor = settleFor;
        return this;
    }

    /** How many threads serve asynchronous calls, 1 or more. They wait for the store, never for the business. */
    public OncegateBuilder asyncThreads(int asyncThreads) {
        if (asyncThreads < 1) {
            throw new IllegalArgumentException("asynchronous calls need a thread or more, not " + asyncThreads);
        }
        this.asyncThreads = asyncThreads;
        return this;
    }

    /** The instance. */
    public Oncegate build() {
        Threads threads = new Threads(asyncThreads);
        if (claimed != null && transactional != null) {
            Events events = new Events(List.copyOf(listeners), transactional.name());
            Results results = new Results(codec, events);
            FastStore fast = new FastStore(claimed, new Events(List.copyOf(listeners), claimed.name()));
            return new LadderOncegate(fast, transactional, results, events, threads, settleFor);
        }
        if (claimed != null) {
            Events events = new Events(List.copyOf(listeners), claimed.name());
            return new ClaimedOncegate(claimed, new Results(codec, events), events, threads, settleFor);
        }
        if (transactional != null) {
            Events events = new Events(List.copyOf(listeners), transactional.name());
            return new SameTransactionOncegate(transactional, new Results(codec, events), events, threads, settleFor);
        }
        throw new IllegalStateException(
                "Oncegate.claimed, Oncegate.sameTransaction or Oncegate.ladder names the store");
    }
}
