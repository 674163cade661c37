package io.oncegate.testkit;

import static io.oncegate.testkit.BrokenLock.anywhere;
import static io.oncegate.testkit.BrokenLock.written;

import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockMachine.Decision;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockRow;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Lock stores that are wrong about holders, ends, passings, results or signals. */
final class BrokenEnding {
    private static final long FAR = Long.MAX_VALUE / 2;

    private BrokenEnding() {}

    /** Sees a holder's claim as this says. */
    private interface Claiming {
        ClaimRef see(LockRow row, ClaimRef held, long now);
    }

    private static LockMutant claiming(Claiming claiming) {
        return new LockMutant() {
            @Override
            ClaimRef claim(@Nullable LockRow row, ClaimRef held, long now) {
                return row == null ? held : claiming.see(row, held, now);
            }
        };
    }

    /** Changes what an end leaves behind. */
    private interface Leaving {
        LockRow leave(LockRow before, LockRow after, LockEnd end, long now);
    }

    private static LockMutant leaving(Leaving leaving) {
        return new LockMutant() {
            @Override
            Decision<HolderAnswer> end(@Nullable LockRow row, ClaimRef held, LockEnd end, long now) {
                Decision<HolderAnswer> decision = super.end(row, held, end, now);
                LockRow after = decision.row();
                return row == null || after == null || after == row
                        ? decision
                        : new Decision<>(decision.answer(), leaving.leave(row, after, end, now));
            }
        };
    }

    /** Asks for results as this says. */
    private interface Taking {
        LockRequest ask(LockRow row, LockRequest request, long now);
    }

    private static LockMutant taking(Taking taking) {
        return new LockMutant() {
            @Override
            Decision<LockAnswer> acquire(@Nullable LockRow row, LockRequest request, long now) {
                return super.acquire(row, row == null ? request : taking.ask(row, request, now), now);
            }
        };
    }

    private static LockRequest taking(LockRequest request, boolean takes, long met) {
        return new LockRequest(
                request.id(),
                request.operation(),
                request.attempt(),
                request.lease(),
                request.window(),
                request.waits(),
                takes,
                met);
    }

    /** Passes in a situation in which it must not. */
    private interface Passing {
        @Nullable
        LockRow seen(LockRow row, long now);
    }

    private static LockMutant passing(Passing passing) {
        return new LockMutant() {
            @Override
            Decision<OptionalLong> pass(@Nullable LockRow row, ClaimRef held, LockRequest next, long now) {
                Decision<OptionalLong> decision =
                        super.pass(row == null ? null : passing.seen(row, now), held, next, now);
                return decision.answer().isEmpty() ? new Decision<>(decision.answer(), row) : decision;
            }
        };
    }

    static Stream<BrokenLock> all() {
        return Stream.of(holders(), ends(), passings(), results(), signals()).flatMap(each -> each);
    }

    private static Stream<BrokenLock> holders() {
        return Stream.of(
                anywhere(
                        "the attempt is compared (C06)",
                        "the fence alone",
                        claiming((row, held, now) -> new ClaimRef(held.id(), held.fence(), row.attempt()))),
                anywhere(
                        "the fence is compared (C06)",
                        "the attempt alone",
                        claiming((row, held, now) -> new ClaimRef(held.id(), row.fence(), held.attempt()))),
                anywhere(
                        "the holder is compared (C06)",
                        "not at all",
                        claiming((row, held, now) -> new ClaimRef(held.id(), row.fence(), row.attempt()))),
                anywhere("a lease that is over is not renewed (C11)", "renewed", new LockMutant() {
                    @Override
                    Decision<HolderAnswer> renew(@Nullable LockRow row, ClaimRef held, Duration lease, long now) {
                        return super.renew(
                                row == null || row.ended() ? row : timed(row, FAR, row.windowEnd()), held, lease, now);
                    }
                }),
                anywhere("a renewal moves the lease's end", "leaves it", new LockMutant() {
                    @Override
                    Decision<HolderAnswer> renew(@Nullable LockRow row, ClaimRef held, Duration lease, long now) {
                        return new Decision<>(super.renew(row, held, lease, now).answer(), row);
                    }
                }),
                anywhere("a renewal's lease counts from the present", "from the old end", new LockMutant() {
                    @Override
                    Decision<HolderAnswer> renew(@Nullable LockRow row, ClaimRef held, Duration lease, long now) {
                        Decision<HolderAnswer> decision = super.renew(row, held, lease, now);
                        LockRow after = decision.row();
                        return row == null || after == null || after == row
                                ? decision
                                : new Decision<>(
                                        decision.answer(),
                                        timed(after, after.leaseEnd() + row.leaseEnd() - now, after.windowEnd()));
                    }
                }),
                anywhere("a renewal leaves the window", "moves it", new LockMutant() {
                    @Override
                    Decision<HolderAnswer> renew(@Nullable LockRow row, ClaimRef held, Duration lease, long now) {
                        Decision<HolderAnswer> decision = super.renew(row, held, lease, now);
                        LockRow after = decision.row();
                        return after == null || after == row || after.windowEnd() == 0
                                ? decision
                                : new Decision<>(
                                        decision.answer(),
                                        timed(after, after.leaseEnd(), after.windowEnd() + now - after.fence()));
                    }
                }));
    }

    private static Stream<BrokenLock> ends() {
        return Stream.of(
                anywhere("a late end is told (C11)", "done", new LockMutant() {
                    @Override
                    Decision<HolderAnswer> end(@Nullable LockRow row, ClaimRef held, LockEnd end, long now) {
                        return super.end(
                                row == null || row.ended() ? row : timed(row, FAR, row.windowEnd()), held, end, now);
                    }
                }),
                anywhere("an end sent again is done", "lost", new LockMutant() {
                    @Override
                    Decision<HolderAnswer> end(@Nullable LockRow row, ClaimRef held, LockEnd end, long now) {
                        return row != null && row.ended()
                                ? new Decision<>(HolderAnswer.LOST, row)
                                : super.end(row, held, end, now);
                    }
                }),
                anywhere("an end sent again changes nothing", "the last one counts", new LockMutant() {
                    @Override
                    Decision<HolderAnswer> end(@Nullable LockRow row, ClaimRef held, LockEnd end, long now) {
                        boolean again = row != null && row.ended();
                        return super.end(
                                again
                                        ? new LockRow(
                                                row.attempt(),
                                                row.fence(),
                                                false,
                                                FAR,
                                                row.windowEnd(),
                                                row.result(),
                                                row.resultFence(),
                                                row.resultUntil())
                                        : row,
                                held,
                                end,
                                now);
                    }
                }),
                anywhere(
                        "an ended lock is free",
                        "held to its lease's end",
                        leaving((before, after, end, now) ->
                                LockMutant.timed(after, before.leaseEnd(), after.windowEnd()))),
                anywhere("an ended lock keeps its fence", "forgotten", new LockMutant() {
                    @Override
                    Decision<HolderAnswer> end(@Nullable LockRow row, ClaimRef held, LockEnd end, long now) {
                        Decision<HolderAnswer> decision = super.end(row, held, end, now);
                        LockRow after = decision.row();
                        boolean over = after != null && after.ended() && after.heldUntil() <= now;
                        return over ? new Decision<>(decision.answer(), null) : decision;
                    }
                }),
                anywhere(
                        "a release closes the window",
                        "leaves it open",
                        leaving((before, after, end, now) ->
                                LockMutant.timed(after, after.leaseEnd(), before.windowEnd()))),
                anywhere(
                        "a completed hold keeps its window",
                        "closes it",
                        leaving((before, after, end, now) -> LockMutant.timed(after, after.leaseEnd(), 0))),
                anywhere(
                        "a window counts from the acquisition",
                        "from the end",
                        leaving((before, after, end, now) -> after.windowEnd() == 0
                                ? after
                                : LockMutant.timed(after, after.leaseEnd(), after.windowEnd() + now - after.fence()))));
    }

    private static Stream<BrokenLock> passings() {
        return Stream.of(
                anywhere("a pass sent again is answered", "refused", new LockMutant() {
                    @Override
                    Decision<OptionalLong> pass(@Nullable LockRow row, ClaimRef held, LockRequest next, long now) {
                        boolean again = row != null && row.attempt().equals(next.attempt());
                        return again ? new Decision<>(OptionalLong.empty(), row) : super.pass(row, held, next, now);
                    }
                }),
                anywhere("a pass sent again after the next one's end is refused", "answered", new LockMutant() {
                    @Override
                    Decision<OptionalLong> pass(@Nullable LockRow row, ClaimRef held, LockRequest next, long now) {
                        boolean again =
                                row != null && row.attempt().equals(next.attempt()) && row.fence() > held.fence();
                        return again
                                ? new Decision<>(OptionalLong.of(row.fence()), row)
                                : super.pass(row, held, next, now);
                    }
                }),
                anywhere(
                        "a hold for a window is not passed on",
                        "passed on",
                        passing((row, now) -> LockMutant.timed(row, row.leaseEnd(), 0))),
                anywhere(
                        "a lease that is over is not passed on",
                        "passed on",
                        passing((row, now) -> row.ended() ? row : LockMutant.timed(row, FAR, row.windowEnd()))),
                anywhere("what a pass grants is a new acquisition", "keeps the old fence", new LockMutant() {
                    @Override
                    Decision<OptionalLong> pass(@Nullable LockRow row, ClaimRef held, LockRequest next, long now) {
                        Decision<OptionalLong> decision = super.pass(row, held, next, now);
                        LockRow after = decision.row();
                        return row == null || after == null || after == row
                                ? decision
                                : new Decision<>(OptionalLong.of(row.fence()), numbered(after, row.fence()));
                    }
                }),
                anywhere("the next one's lease is its own", "the last holder's", new LockMutant() {
                    @Override
                    Decision<OptionalLong> pass(@Nullable LockRow row, ClaimRef held, LockRequest next, long now) {
                        Decision<OptionalLong> decision = super.pass(row, held, next, now);
                        LockRow after = decision.row();
                        return row == null || after == null || after == row
                                ? decision
                                : new Decision<>(decision.answer(), timed(after, row.leaseEnd(), after.windowEnd()));
                    }
                }),
                anywhere("the next one's window is its own", "none", new LockMutant() {
                    @Override
                    Decision<OptionalLong> pass(@Nullable LockRow row, ClaimRef held, LockRequest next, long now) {
                        Decision<OptionalLong> decision = super.pass(row, held, next, now);
                        LockRow after = decision.row();
                        return after == null || after == row
                                ? decision
                                : new Decision<>(decision.answer(), timed(after, after.leaseEnd(), 0));
                    }
                }));
    }

    private static Stream<BrokenLock> results() {
        return Stream.of(
                anywhere(
                        "a result goes to those who met the run",
                        "to nobody outside the window",
                        taking((row, request, now) -> taking(request, request.takesResult(), 0))),
                anywhere(
                        "a result goes to those who met the run",
                        "to all who take it",
                        taking((row, request, now) -> taking(request, request.takesResult(), 1))),
                anywhere(
                        "a result goes to those who take it",
                        "to all who met it",
                        taking((row, request, now) ->
                                taking(request, request.takesResult() || request.metFence() != 0, request.metFence()))),
                anywhere(
                        "within the window the result goes to all who take it",
                        "only to those who met it",
                        taking((row, request, now) ->
                                taking(request, request.takesResult() && request.metFence() != 0, request.metFence()))),
                written("an older result is not that of the window's run", "given", new LockMutant() {
                    @Override
                    Decision<LockAnswer> acquire(@Nullable LockRow row, LockRequest request, long now) {
                        return super.acquire(
                                row != null && row.ended() && now < row.windowEnd() && request.takesResult()
                                        ? resulting(row, row.result(), row.fence(), row.resultUntil())
                                        : row,
                                request,
                                now);
                    }
                }),
                anywhere("an earlier result is too old", "given", new LockMutant() {
                    @Override
                    Decision<LockAnswer> acquire(@Nullable LockRow row, LockRequest request, long now) {
                        boolean outside = row != null && !(row.ended() && now < row.windowEnd());
                        Decision<LockAnswer> decision = super.acquire(
                                outside && row.resultFence() != 0
                                        ? resulting(row, row.result(), FAR, row.resultUntil())
                                        : row,
                                request,
                                now);
                        LockRow after = decision.row();
                        return outside && after != null
                                ? new Decision<>(
                                        decision.answer(),
                                        resulting(after, row.result(), row.resultFence(), row.resultUntil()))
                                : decision;
                    }
                }),
                anywhere("a result outlasts the next runs", "the next grant drops it", new LockMutant() {
                    @Override
                    LockRow granted(LockRow after, @Nullable LockRow before, LockRequest request, long now) {
                        return resulting(after, null, 0, 0);
                    }
                }),
                anywhere(
                        "a result outlasts runs without one",
                        "their end drops it",
                        leaving((before, after, end, now) ->
                                end.result() == null ? LockMutant.resulting(after, null, 0, 0) : after)),
                anywhere(
                        "a later result replaces it",
                        "the first one stays",
                        leaving((before, after, end, now) -> before.result() == null
                                ? after
                                : LockMutant.resulting(
                                        after, before.result(), before.resultFence(), before.resultUntil()))),
                anywhere(
                        "a result ends",
                        "never",
                        leaving((before, after, end, now) -> end.result() == null
                                ? after
                                : LockMutant.resulting(after, after.result(), after.resultFence(), FAR))),
                anywhere(
                        "a result lasts for the whole window",
                        "for its retention",
                        leaving((before, after, end, now) -> end.result() == null
                                ? after
                                : LockMutant.resulting(
                                        after,
                                        after.result(),
                                        after.resultFence(),
                                        now + end.resultRetention().toNanos() / 1_000))),
                anywhere(
                        "a result lasts for its retention",
                        "for the window",
                        leaving((before, after, end, now) -> end.result() == null
                                ? after
                                : LockMutant.resulting(after, after.result(), after.resultFence(), after.windowEnd()))),
                written(
                        "an empty result is a result",
                        "none",
                        leaving((before, after, end, now) ->
                                end.result() != null && end.result().size() == 0
                                        ? LockMutant.resulting(after, null, 0, 0)
                                        : after)));
    }

    private static Stream<BrokenLock> signals() {
        return Stream.of(
                written("who waits is told of a release", "of completions alone", new LockMutant() {
                    @Override
                    boolean signals(LockEnd end) {
                        return end.completed();
                    }
                }),
                written("who waits is told of a completion", "of releases alone", new LockMutant() {
                    @Override
                    boolean signals(LockEnd end) {
                        return !end.completed();
                    }
                }),
                written("a closed watch is quiet", "goes on", new LockMutant() {
                    @Override
                    boolean closesWatches() {
                        return false;
                    }
                }));
    }
}
