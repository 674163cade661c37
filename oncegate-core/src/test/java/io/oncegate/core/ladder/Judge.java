package io.oncegate.core.ladder;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.ladder.Actor.Step;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.RecordMachine.Decision;
import io.oncegate.core.spi.RecordTransaction;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.StoredRecord;
import io.oncegate.core.spi.TransactionalRecordStore;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A judge of one key, for the engine itself: each step waits for its turn, and is told to the {@link Trace}. */
final class Judge implements TransactionalRecordStore {
    private final Trace trace;
    private @Nullable StoredRecord committed;
    private @Nullable StoredRecord open;
    private @Nullable RecordTransaction owner;
    private int ownedBy;

    Judge(Trace trace) {
        this.trace = trace;
    }

    @Nullable
    StoredRecord committed() {
        return committed;
    }

    /** Rolls back what this one has open: it has died. */
    void died(int actor) {
        if (owner != null && ownedBy == actor) {
            owner = null;
            open = null;
        }
    }

    @Override
    public String name() {
        return "judge";
    }

    @Override
    public RecordTransaction begin() {
        return new Transaction();
    }

    private final class Transaction implements RecordTransaction {
        @Override
        public boolean joined() {
            return false;
        }

        @Override
        public boolean threadBound() {
            return false;
        }

        @Override
        public ClaimAnswer recordFirst(ClaimRequest request, Settlement settlement, Duration wait) {
            return trace.step(() -> decide(request, settlement), answer -> named(answer, trace.me()));
        }

        private String named(ClaimAnswer answer, Actor me) {
            if (me.step() == Step.LOOK) {
                if (answer instanceof ClaimAnswer.Held) {
                    return Trace.NOTHING;
                }
                boolean own = answer instanceof ClaimAnswer.Replay replay && replay.own();
                return own ? "finds its commit" : "finds no commit of its own";
            } else if (answer instanceof ClaimAnswer.Granted) {
                return "is let through by the judge";
            } else if (answer instanceof ClaimAnswer.Replay replay) {
                return "is answered " + Trace.value(replay) + " by the judge";
            } else if (answer instanceof ClaimAnswer.Mismatch) {
                return "is refused by the judge";
            }
            return me.mismatches() == 2 ? "is told of another payload" : "is held by the judge";
        }

        private ClaimAnswer decide(ClaimRequest request, Settlement settlement) {
            if (owner != null && owner != this) {
                return new ClaimAnswer.Held(Duration.ZERO);
            }
            Decision<ClaimAnswer> decision = RecordMachine.claim(committed, request, trace.now());
            boolean only = trace.me().step() == Step.LOOK; // and rolled back at once: one step
            if (decision.answer() instanceof ClaimAnswer.Granted granted && !only) {
                owner = this;
                ownedBy = trace.me().number();
                open = RecordMachine.settledFirst(request, settlement, granted.fence(), trace.now());
            }
            return decision.answer();
        }

        @Override
        public void savepoint() {}

        @Override
        public void rollbackToSavepoint() {}

        @Override
        public void complete(Settlement settlement) {
            StoredRecord first = Objects.requireNonNull(open);
            trace.step(
                    () -> {
                        long until = trace.now() + RecordMachine.micros(settlement.retention());
                        open = new StoredRecord(
                                first.operation(),
                                settlement.state(),
                                first.fence(),
                                first.attempt(),
                                first.fingerprint(),
                                0,
                                RecordMachine.micros(settlement.retention()),
                                until,
                                settlement.result(),
                                until);
                        return settlement;
                    },
                    done -> "returns");
        }

        @Override
        public void release() {
            throw new UnsupportedOperationException();
        }

        /** The reply is lost by the trace's choice, and with it perhaps the commit. */
        @Override
        public void commit() {
            Trace.Loss loss = trace.step(
                    () -> {
                        Trace.Loss lost = trace.loss();
                        if (lost != Trace.Loss.COMMIT) {
                            committed = open;
                        }
                        end();
                        return lost;
                    },
                    lost -> switch (lost) {
                        case NONE -> "commits";
                        case REPLY -> "commits and is not told";
                        case COMMIT -> "is rolled back and not told";
                    });
            if (loss != Trace.Loss.NONE) {
                throw new StoreUnavailableException("judge", "the trace wants no answer", null);
            }
        }

        @Override
        public void rollback() {
            if (owner == this) {
                trace.step(
                        () -> {
                            end();
                            return this;
                        },
                        done -> "fails");
            }
        }

        private void end() {
            owner = null;
            open = null;
        }

        @Override
        public <R> @Nullable R unwrap(Class<R> type) {
            return null;
        }
    }
}
