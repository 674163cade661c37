package io.oncegate.testkit;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockRow;
import io.oncegate.core.lock.Locks;
import io.oncegate.core.memory.MemoryLockStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A guard of locks, and locks that break it.
 *
 * @param guard what has to hold
 * @param change what the broken locks do instead
 * @param test the test of the contract that has to find it
 * @param locks makes broken locks of right ones
 */
record BrokenLocks(String guard, String change, String test, UnaryOperator<Locks> locks) {
    @Override
    public String toString() {
        return guard + ": " + change;
    }

    private static BrokenLocks held(String guard, String change, String test, UnaryOperator<HeldLock> broken) {
        return new BrokenLocks(guard, change, test, right -> new LocksMutant(right) {
            @Override
            HeldLock held(HeldLock held) {
                return broken.apply(held);
            }
        });
    }

    private static BrokenLocks asked(String guard, String change, String test, UnaryOperator<LockOptions> broken) {
        return new BrokenLocks(guard, change, test, right -> new LocksMutant(right) {
            @Override
            LockOptions options(LockOptions options) {
                return broken.apply(options);
            }
        });
    }

    /** An acquisition that goes wrong. */
    private interface Waiting {
        Acquisition<HeldLock> await(Locks right, OperationKey key, LockOptions options, Duration wait)
                throws InterruptedException;
    }

    private static BrokenLocks waiting(String guard, String change, String test, Waiting broken) {
        return new BrokenLocks(guard, change, test, right -> new LocksMutant(right) {
            @Override
            public Acquisition<HeldLock> acquire(OperationKey key, LockOptions options, Duration wait)
                    throws InterruptedException {
                return broken.await(right, key, options, wait);
            }
        });
    }

    static Stream<BrokenLocks> all() {
        return Stream.of(handles(), waits(), interrupts(), outages()).flatMap(each -> each);
    }

    private static Stream<BrokenLocks> handles() {
        return Stream.of(
                asked(
                        "a lock is renewed (C11)",
                        "not renewed",
                        "aRenewedLockIsKeptBeyondItsLeaseAndThroughAShortOutage",
                        LockOptions::notRenewed),
                asked(
                        "a dead holder's lock ends with its lease (C41)",
                        "an hour later",
                        "aDeadHoldersLockIsTakenOver",
                        options -> options.lease(Duration.ofHours(1))),
                asked(
                        "a window refuses",
                        "a hold until done instead",
                        "aCompletedHoldRefusesOthersUntilItsWindowIsOver",
                        options -> LockOptions.untilDone()),
                asked(
                        "a result goes to those who waited",
                        "not taken",
                        "allWhoWereWaitingAreGivenTheResult",
                        options -> LockOptions.untilDone().lease(options.lease())),
                held(
                        "a loss is told",
                        "not told",
                        "aLeaseThatRunsOutIsLostAndItsHolderIsToldOnce",
                        held -> new LocksMutant.Held(held) {
                            @Override
                            public void onLost(Runnable callback) {}
                        }),
                held(
                        "a loss is told once (C25)",
                        "twice",
                        "oneWhoIsCutOffForLongIsToldOnceAndHurtsNobodyLater",
                        held -> new LocksMutant.Held(held) {
                            @Override
                            public void onLost(Runnable callback) {
                                super.onLost(callback);
                                super.onLost(callback);
                            }
                        }),
                held(
                        "a holder knows when its lease is over",
                        "believes in it until it ends it",
                        "oneWhoIsCutOffForLongIsToldOnceAndHurtsNobodyLater",
                        held -> new LocksMutant.Held(held) {
                            @Override
                            public boolean isHeld() {
                                return true;
                            }
                        }),
                held(
                        "a late release reports the loss (C06)",
                        "done",
                        "aLateReleaseLeavesTheNextHoldersLockAlone",
                        held -> new LocksMutant.Held(held) {
                            @Override
                            public LockRelease release() {
                                var ignored = super.release();
                                return LockRelease.DONE;
                            }
                        }),
                held(
                        "a lock belongs to no thread (C12)",
                        "only its thread may release it",
                        "anyThreadMayRenewAndReleaseALock",
                        held -> new LocksMutant.Held(held) {
                            private final Thread owner = Thread.currentThread();

                            @Override
                            public LockRelease release() {
                                if (Thread.currentThread() != owner) {
                                    throw new IllegalMonitorStateException("not the owner");
                                }
                                return super.release();
                            }
                        }),
                held(
                        "ending twice is quiet",
                        "throws",
                        "endingAnEndedLockIsQuietAndSaysTheSame",
                        held -> new LocksMutant.Held(held) {
                            @Override
                            public LockRelease release() {
                                if (!isHeld()) {
                                    throw new IllegalStateException("released");
                                }
                                return super.release();
                            }
                        }));
    }

    private static Stream<BrokenLocks> waits() {
        return Stream.of(
                waiting(
                        "a waiter gets in at the release",
                        "asks once",
                        "aWaiterGetsInWhenTheLockIsReleasedHereOrElsewhere",
                        (right, key, options, wait) -> right.tryAcquire(key, options)),
                waiting(
                        "a waiter waits for its whole time",
                        "half of it",
                        "waitingEndsRefusedWhenItsTimeIsOver",
                        (right, key, options, wait) -> right.acquire(key, options, wait.dividedBy(2))),
                waiting(
                        "a waiter waits no longer than its time",
                        "for an hour",
                        "thoseWhoGiveUpAreNotServedAndThoseBehindThemAre",
                        (right, key, options, wait) -> right.acquire(key, options, Duration.ofHours(1))),
                new BrokenLocks(
                        "waiters stand in line",
                        "the last one first",
                        "thoseWhoWaitInOneProcessAreServedInLine",
                        LastFirst::new),
                new BrokenLocks(
                        "closing ends the waiting",
                        "goes on",
                        "closingRefusesThoseWhoWait",
                        right -> new LocksMutant(right) {
                            @Override
                            public void close() {}
                        }),
                new BrokenLocks(
                        "closed locks give no more",
                        "they do",
                        "closedLocksGiveNoMoreAndWhatIsHeldCanBeEnded",
                        right -> new LocksMutant(right) {
                            @Override
                            public void close() {}
                        }),
                new BrokenLocks(
                        "the time that is left is told",
                        "zero",
                        "aHeldLockIsRefusedToAllOthersWithTheTimeThatIsLeft",
                        right -> new LocksMutant(right) {
                            @Override
                            public Acquisition<HeldLock> tryAcquire(OperationKey key, LockOptions options) {
                                Acquisition<HeldLock> told = super.tryAcquire(key, options);
                                return told instanceof Acquisition.Refused
                                        ? new Acquisition.Refused<>(key, Duration.ZERO)
                                        : told;
                            }
                        }));
    }

    private static Stream<BrokenLocks> interrupts() {
        return Stream.of(
                waiting(
                        "an interrupt ends the waiting (C27)",
                        "it goes on",
                        "anInterruptedWaiterEndsAtOnceAndHoldsNothing",
                        (right, key, options, wait) -> {
                            while (true) {
                                try {
                                    return right.acquire(key, options, wait);
                                } catch (InterruptedException again) {
                                    continue;
                                }
                            }
                        }),
                waiting(
                        "an interrupt clears the flag",
                        "it stays",
                        "anInterruptedWaiterEndsAtOnceAndHoldsNothing",
                        (right, key, options, wait) -> {
                            try {
                                return right.acquire(key, options, wait);
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                                throw e;
                            }
                        }),
                waiting(
                        "an interrupt before the call counts (C27)",
                        "forgotten",
                        "anInterruptBeforeAskingCountsToo",
                        (right, key, options, wait) -> {
                            var ignored = Thread.interrupted();
                            return right.acquire(key, options, wait);
                        }),
                waiting(
                        "one who was interrupted holds nothing",
                        "its question goes on without it",
                        "anInterruptedWaiterEndsAtOnceAndHoldsNothing",
                        (right, key, options, wait) -> {
                            try {
                                return right.acquire(key, options, wait);
                            } catch (InterruptedException e) {
                                var ignored = Background.run(() -> right.acquire(key, options, wait));
                                throw e;
                            }
                        }),
                held(
                        "an interrupted holder can release",
                        "it throws",
                        "anInterruptedHolderCanStillRelease",
                        held -> new LocksMutant.Held(held) {
                            @Override
                            public LockRelease release() {
                                if (Thread.currentThread().isInterrupted()) {
                                    throw new StoreUnavailableException("mutant", "interrupted", null);
                                }
                                return super.release();
                            }
                        }));
    }

    private static Stream<BrokenLocks> outages() {
        return Stream.of(
                new BrokenLocks(
                        "a store that is down lets nobody in",
                        "everybody",
                        "askingWhileCutOffEndsInATypedErrorAndLeavesNothingBehind",
                        right -> new LocksMutant(right) {
                            private final Locks pretended = LeasedLocks.of(new MemoryLockStore());

                            @Override
                            public Acquisition<HeldLock> tryAcquire(OperationKey key, LockOptions options) {
                                try {
                                    return super.tryAcquire(key, options);
                                } catch (StoreUnavailableException e) {
                                    return pretended.tryAcquire(key, options);
                                }
                            }
                        }),
                new BrokenLocks(
                        "a store that is down is a typed error",
                        "another one",
                        "askingWhileCutOffEndsInATypedErrorAndLeavesNothingBehind",
                        right -> new LocksMutant(right) {
                            @Override
                            public Acquisition<HeldLock> tryAcquire(OperationKey key, LockOptions options) {
                                try {
                                    return super.tryAcquire(key, options);
                                } catch (StoreUnavailableException e) {
                                    throw new IllegalStateException("no store", e);
                                }
                            }
                        }),
                held(
                        "a release that has no answer says so",
                        "it throws",
                        "aReleaseThatIsCutOffSaysSoAndIsMadeUpForLater",
                        held -> new LocksMutant.Held(held) {
                            @Override
                            public LockRelease release() {
                                LockRelease told = super.release();
                                if (told == LockRelease.UNKNOWN) {
                                    throw new StoreUnavailableException("mutant", "no answer", null);
                                }
                                return told;
                            }
                        }),
                waiting(
                        "a waiter asks again after an outage",
                        "gives up at the first failure",
                        "oneWhoWaitsThroughAnOutageGetsIn",
                        (right, key, options, wait) -> {
                            long end = System.nanoTime() + wait.toNanos();
                            Acquisition<HeldLock> told = right.tryAcquire(key, options);
                            while (told instanceof Acquisition.Refused && System.nanoTime() - end < 0) {
                                Thread.sleep(1);
                                told = right.tryAcquire(key, options);
                            }
                            return told;
                        }));
    }

    /** Only the last one of those who wait may ask. */
    private static final class LastFirst extends LocksMutant {
        private final Deque<Thread> waiting = new ArrayDeque<>();

        LastFirst(Locks right) {
            super(right);
        }

        @Override
        public Acquisition<HeldLock> acquire(OperationKey key, LockOptions options, Duration wait)
                throws InterruptedException {
            Thread me = Thread.currentThread();
            synchronized (waiting) {
                waiting.push(me);
            }
            try {
                while (true) {
                    Thread.sleep(1);
                    if (isLast(me) && tryAcquire(key, options) instanceof Acquisition.Acquired<HeldLock> acquired) {
                        return acquired;
                    }
                }
            } finally {
                synchronized (waiting) {
                    waiting.remove(me);
                }
            }
        }

        private boolean isLast(Thread me) {
            synchronized (waiting) {
                return waiting.peek() == me;
            }
        }
    }

    /** Stores under right locks that break what users count on, and the test that has to find it. */
    record OfStore(String guard, String change, String test, LockMutant store) {
        @Override
        public String toString() {
            return guard + ": " + change;
        }

        static Stream<OfStore> all() {
            return Stream.of(
                    new OfStore(
                            "one is in at a time",
                            "every lease counts as over",
                            "countersThatOnlyTheLocksGuardLoseNoStep",
                            new LockMutant() {
                                @Override
                                @Nullable
                                LockRow seen(@Nullable LockRow row, long now) {
                                    return row == null ? null : timed(row, Math.min(row.leaseEnd(), now), 0);
                                }
                            }),
                    new OfStore(
                            "one is in at a time",
                            "read, then written",
                            "countersThatOnlyTheLocksGuardLoseNoStep",
                            new LockMutant() {
                                @Override
                                boolean isAtomic(@Nullable LockRow row, long now) {
                                    return false;
                                }
                            }),
                    new OfStore("fences rise", "they fall", "aLockIsFreeAfterEachKindOfEnd", new LockMutant() {
                        @Override
                        LockRow granted(LockRow after, @Nullable LockRow before, LockRequest request, long now) {
                            return before == null ? after : numbered(after, before.fence() - 1);
                        }
                    }),
                    new OfStore(
                            "only equal keys exclude each other",
                            "the first byte is compared",
                            "onlyEqualKeysExcludeEachOther",
                            new LockMutant() {
                                @Override
                                Object key(io.oncegate.core.key.RecordId id) {
                                    return id.toBytes()[0];
                                }
                            }),
                    new OfStore("nothing is left over", "all is kept", "nothingIsLeftOver", new LockMutant() {
                        @Override
                        boolean forgettable(LockRow row, long now, long margin) {
                            return false;
                        }
                    }));
        }
    }
}
