package io.oncegate.testkit;

import static io.oncegate.testkit.BrokenLock.anywhere;
import static io.oncegate.testkit.BrokenLock.written;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockMachine.Decision;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockRow;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.RecordMachine;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Lock stores that are wrong about leases, fences, windows, or what they keep. */
final class BrokenAcquiring {
    private static final long FAR = Long.MAX_VALUE / 2;

    private BrokenAcquiring() {}

    /** Sees rows that are there as this says. */
    private interface Seeing {
        LockRow see(LockRow row, long now);
    }

    private static LockMutant seeing(Seeing seeing) {
        return new LockMutant() {
            @Override
            @Nullable
            LockRow seen(@Nullable LockRow row, long now) {
                return row == null ? null : seeing.see(row, now);
            }
        };
    }

    /** Keeps what was granted as this says. */
    private interface Granting {
        LockRow keep(LockRow after, @Nullable LockRow before, LockRequest request, long now);
    }

    private static LockMutant granting(Granting granting) {
        return new LockMutant() {
            @Override
            LockRow granted(LockRow after, @Nullable LockRow before, LockRequest request, long now) {
                return granting.keep(after, before, request, now);
            }
        };
    }

    /** Asks the machine with another request. */
    private interface Asked {
        LockRequest ask(@Nullable LockRow row, LockRequest request, long now);
    }

    private static LockMutant asking(Asked asked) {
        return new LockMutant() {
            @Override
            Decision<LockAnswer> acquire(@Nullable LockRow row, LockRequest request, long now) {
                return super.acquire(row, asked.ask(row, request, now), now);
            }
        };
    }

    private static LockRequest with(LockRequest request, AttemptId attempt, Duration lease) {
        return new LockRequest(
                request.id(),
                request.operation(),
                attempt,
                lease,
                request.window(),
                request.waits(),
                request.takesResult(),
                request.metFence());
    }

    /** Changes the row of one who is refused. */
    private static LockMutant touching(Granting touch) {
        return new LockMutant() {
            @Override
            Decision<LockAnswer> acquire(@Nullable LockRow row, LockRequest request, long now) {
                Decision<LockAnswer> decision = super.acquire(row, request, now);
                return row != null && decision.answer() instanceof LockAnswer.Held
                        ? new Decision<>(decision.answer(), touch.keep(row, row, request, now))
                        : decision;
            }
        };
    }

    /** Tells one who is refused something else. */
    private static LockMutant telling(java.util.function.UnaryOperator<LockAnswer.Held> told) {
        return new LockMutant() {
            @Override
            Decision<LockAnswer> acquire(@Nullable LockRow row, LockRequest request, long now) {
                Decision<LockAnswer> decision = super.acquire(row, request, now);
                return decision.answer() instanceof LockAnswer.Held held
                        ? new Decision<>(told.apply(held), decision.row())
                        : decision;
            }
        };
    }

    static Stream<BrokenLock> all() {
        return Stream.of(leases(), fences(), windows(), keeping()).flatMap(each -> each);
    }

    private static Stream<BrokenLock> leases() {
        return Stream.of(
                anywhere(
                        "a live lease holds",
                        "every lease counts as over",
                        seeing((row, now) -> LockMutant.timed(row, Math.min(row.leaseEnd(), now), row.windowEnd()))),
                anywhere(
                        "a lease ends",
                        "holds for ever",
                        seeing((row, now) -> row.ended() ? row : LockMutant.timed(row, FAR, row.windowEnd()))),
                anywhere(
                        "leases to the millisecond (C20)",
                        "cut to seconds",
                        granting((after, before, request, now) -> LockMutant.timed(
                                after, now + request.lease().toSeconds() * 1_000_000, after.windowEnd()))),
                anywhere(
                        "leases to the millisecond (C20)",
                        "rounded up to seconds",
                        granting((after, before, request, now) -> LockMutant.timed(
                                after, now + (request.lease().toSeconds() + 1) * 1_000_000, after.windowEnd()))),
                anywhere(
                        "the same attempt gets its own lock",
                        "held by itself",
                        asking((row, request, now) -> with(request, AttemptId.random(), request.lease()))),
                anywhere("the same attempt gets a whole lease", "the old one", new LockMutant() {
                    @Override
                    Decision<LockAnswer> acquire(@Nullable LockRow row, LockRequest request, long now) {
                        Decision<LockAnswer> decision = super.acquire(row, request, now);
                        LockRow after = decision.row();
                        return row != null && after != null && after.fence() == row.fence()
                                ? new Decision<>(decision.answer(), row)
                                : decision;
                    }
                }),
                anywhere("an attempt's lock that has ended or run out is not its own", "given again", new LockMutant() {
                    @Override
                    Decision<LockAnswer> acquire(@Nullable LockRow row, LockRequest request, long now) {
                        return row != null && row.attempt().equals(request.attempt())
                                ? new Decision<>(new LockAnswer.Granted(row.fence()), row)
                                : super.acquire(row, request, now);
                    }
                }),
                anywhere(
                        "one who is refused leaves the lease",
                        "extends it",
                        touching((row, same, request, now) ->
                                LockMutant.timed(row, row.leaseEnd() + 1_000_000, row.windowEnd()))),
                anywhere(
                        "one who is refused leaves the holder",
                        "overwrites the attempt",
                        touching((row, same, request, now) -> LockMutant.owned(row, request.attempt()))),
                anywhere(
                        "the time that is left is told",
                        "the whole hour",
                        telling(held -> new LockAnswer.Held(Duration.ofHours(3), held.fence(), held.completed()))),
                anywhere(
                        "the time that is left is more than zero",
                        "zero",
                        telling(held -> new LockAnswer.Held(Duration.ZERO, held.fence(), held.completed()))),
                anywhere(
                        "whose lock it is is told",
                        "fence 0",
                        telling(held -> new LockAnswer.Held(held.left(), 0, held.completed()))),
                anywhere(
                        "whether only the window refuses is told",
                        "turned round",
                        telling(held -> new LockAnswer.Held(held.left(), held.fence(), !held.completed()))));
    }

    private static Stream<BrokenLock> fences() {
        return Stream.of(
                anywhere(
                        "a fence rises over the last one",
                        "the store's time alone",
                        granting((after, before, request, now) -> LockMutant.numbered(after, now))),
                anywhere(
                        "each acquisition has a new fence",
                        "the old one",
                        granting((after, before, request, now) ->
                                before == null ? after : LockMutant.numbered(after, before.fence()))),
                anywhere(
                        "a fence is the store's time",
                        "a counter",
                        granting((after, before, request, now) ->
                                LockMutant.numbered(after, before == null ? 1 : before.fence() + 1))));
    }

    private static Stream<BrokenLock> windows() {
        return Stream.of(
                anywhere(
                        "an open window refuses",
                        "not looked at",
                        seeing((row, now) -> LockMutant.timed(row, row.leaseEnd(), 0))),
                anywhere(
                        "a window ends",
                        "never",
                        seeing((row, now) -> row.windowEnd() == 0 ? row : LockMutant.timed(row, row.leaseEnd(), FAR))),
                anywhere(
                        "a window outlasts a dead holder's lease",
                        "ends with it",
                        seeing((row, now) -> !row.ended() && now >= row.leaseEnd()
                                ? LockMutant.timed(row, row.leaseEnd(), 0)
                                : row)),
                anywhere(
                        "a window is the holder's",
                        "the asker's",
                        touching((row, same, request, now) -> request.window() == null
                                ? row
                                : LockMutant.timed(row, row.leaseEnd(), now + RecordMachine.micros(request.window())))),
                anywhere(
                        "a window is of its acquisition alone",
                        "the last one's stays",
                        granting((after, before, request, now) -> before == null || request.window() != null
                                ? after
                                : LockMutant.timed(after, after.leaseEnd(), now + 60_000_000))),
                anywhere("the same attempt leaves the window", "moves it", new LockMutant() {
                    @Override
                    Decision<LockAnswer> acquire(@Nullable LockRow row, LockRequest request, long now) {
                        Decision<LockAnswer> decision = super.acquire(row, request, now);
                        LockRow after = decision.row();
                        return row != null
                                        && after != null
                                        && after != row
                                        && after.fence() == row.fence()
                                        && request.window() != null
                                ? new Decision<>(
                                        decision.answer(),
                                        LockMutant.timed(
                                                after, after.leaseEnd(), now + RecordMachine.micros(request.window())))
                                : decision;
                    }
                }));
    }

    private static Stream<BrokenLock> keeping() {
        return Stream.of(
                written("only equal keys exclude each other", "the first three bits", new LockMutant() {
                    @Override
                    Object key(RecordId id) {
                        return id.toBytes()[0] & 7;
                    }
                }),
                written("of many who ask for a new lock one is granted", "read, then written", new LockMutant() {
                    @Override
                    boolean isAtomic(@Nullable LockRow row, long now) {
                        return row != null;
                    }
                }),
                written("of many who ask for a free lock one is granted", "read, then written", new LockMutant() {
                    @Override
                    boolean isAtomic(@Nullable LockRow row, long now) {
                        return row == null || !row.ended();
                    }
                }),
                written("of many who take over one is granted", "read, then written", new LockMutant() {
                    @Override
                    boolean isAtomic(@Nullable LockRow row, long now) {
                        return row == null || row.ended() || now < row.leaseEnd();
                    }
                }),
                written("passing and ending are atomic", "read, then written", new LockMutant() {
                    @Override
                    boolean isAtomic(@Nullable LockRow row, long now) {
                        return row == null || row.ended() || now >= row.leaseEnd();
                    }
                }),
                written("what is over goes after the margin", "stays", new LockMutant() {
                    @Override
                    boolean forgettable(LockRow row, long now, long margin) {
                        return false;
                    }
                }),
                written("what is over stays for the margin", "goes at once", new LockMutant() {
                    @Override
                    boolean forgettable(LockRow row, long now, long margin) {
                        return super.forgettable(row, now, -1_000_000_000);
                    }
                }),
                written("a held lock never goes (C23)", "goes after the margin", new LockMutant() {
                    @Override
                    boolean forgettable(LockRow row, long now, long margin) {
                        return super.forgettable(LockMutant.timed(row, 0, row.windowEnd()), now, margin);
                    }
                }),
                written("an open window stays", "goes after the margin", new LockMutant() {
                    @Override
                    boolean forgettable(LockRow row, long now, long margin) {
                        return super.forgettable(LockMutant.timed(row, row.leaseEnd(), 0), now, margin);
                    }
                }),
                written("a kept result stays", "goes after the margin", new LockMutant() {
                    @Override
                    boolean forgettable(LockRow row, long now, long margin) {
                        return super.forgettable(LockMutant.resulting(row, null, 0, 0), now, margin);
                    }
                }));
    }
}
