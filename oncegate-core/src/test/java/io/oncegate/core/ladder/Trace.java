package io.oncegate.core.ladder;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.ladder.Actor.Step;
import io.oncegate.core.ladder.Moves.Move;
import io.oncegate.core.ladder.World.Faults;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.RecordMachine.Decision;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.StoredRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of the engine itself, a step of a store at a time in a random order, and the model beside it: each step that the engine
 * takes has to be a move that the model has there, and the stores have to be as the model has them afterwards.
 */
final class Trace {
    /** A step that is none of the model's. */
    static final String NOTHING = "";

    static final Duration TICK = Duration.ofHours(1);
    private static final long SPREAD = 0x9E3779B97F4A7C15L;
    private static final int LOSSES = 1_000;
    private static final int FAULTS_IN = 4;

    /** Moves of the model in which the engine asks no store. */
    private static final List<String> SILENT = List.of(
            "goes on without the fast store",
            "has nothing to settle",
            "has no claim to settle",
            "cannot settle the fast store",
            "cannot release the fast store",
            "is not told whether it is still there",
            "gives up looking for its commit",
            "ends");

    /** What becomes of a commit. */
    enum Loss {
        NONE,
        REPLY,
        COMMIT
    }

    private final class Runner extends Thread {
        private final int number;
        private final Runnable task;
        private final Semaphore turn = new Semaphore(0);
        private boolean done;

        Runner(int number, Runnable task) {
            this.number = number;
            this.task = task;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                task.run();
            } catch (Over e) {
                return;
            } catch (RuntimeException e) {
                // what its caller is told
            } catch (Throwable e) {
                failure = e;
            }
            done = true;
            parked.release();
        }
    }

    /** The trace has ended, and so does what is left of it. */
    private static final class Over extends Error {
        private static final long serialVersionUID = 1L;
    }

    final Judge judge = new Judge(this);
    final RecordStore fast = new Fast();
    private final Random random;
    private final Semaphore parked = new Semaphore(0);
    private final List<Runner> runners = new ArrayList<>();
    private final List<String> way = new ArrayList<>();
    private volatile World world;
    private volatile boolean over;
    private volatile @Nullable Throwable failure;
    private @Nullable StoredRecord record;
    private int losses;

    Trace(long seed, int ticks, int flushes, int crashes, int losses, List<Actor> actors) {
        this.random = new Random(seed * SPREAD); // neighbours begin alike otherwise
        this.losses = losses;
        this.world = World.begin(new Faults(ticks, flushes, crashes, LOSSES, 0, 0), actors);
    }

    void start(int number, Runnable task) {
        Runner runner = new Runner(number, task);
        runners.add(runner);
    }

    boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    /** Goes to the end; then all that was done. */
    List<String> play() throws InterruptedException {
        for (Runner runner : runners) {
            runner.start();
            parked.acquire();
        }
        List<Runner> left = new ArrayList<>(runners);
        while (!left.isEmpty() && failure == null) {
            if (chance(FAULTS_IN)) {
                fault(left);
                continue;
            }
            Runner next = left.get(random.nextInt(left.size()));
            next.turn.release();
            parked.acquire();
            if (next.done) {
                left.remove(next);
                end(next.number);
            }
        }
        over = true;
        runners.forEach(runner -> runner.turn.release(LOSSES));
        if (failure != null) {
            throw new AssertionError(String.join("\n", way), failure);
        }
        return way;
    }

    private void fault(List<Runner> left) {
        List<Move> faults = Moves.of(Order.LADDER, world).stream()
                .filter(move -> move.name().endsWith("dies") || move.name().startsWith("the "))
                .toList();
        if (faults.isEmpty()) {
            return;
        }
        Move time = faults.get(0);
        Move move = chance(2) ? time : faults.get(random.nextInt(faults.size()));
        if (move.name().equals("the fast store loses all")) {
            record = null;
        } else if (move.name().endsWith("dies")) {
            int number = move.name().charAt(0) - '0';
            if (!left.removeIf(runner -> runner.number == number)) {
                return;
            }
            judge.died(number);
        }
        take(move);
    }

    /** The actor has been answered: what the model has still to do asks no store. */
    private void end(int number) {
        while (!world.actors().get(number).ended() && silent(number)) {}
        if (!world.actors().get(number).ended()) {
            fail(number + " has ended, and the model has not");
        }
    }

    /** Waits for the turn, asks a store, and lets the model do the same. */
    <R> R step(Supplier<R> call, Function<R, String> name) {
        Runner me = (Runner) Thread.currentThread();
        parked.release();
        me.turn.acquireUninterruptibly();
        if (over) {
            throw new Over();
        }
        R result = call.get();
        String named = name.apply(result);
        if (!named.equals(NOTHING)) {
            follow(me.number, named);
        }
        return result;
    }

    private void follow(int number, String name) {
        String wanted = number + " " + name;
        while (true) {
            for (Move move : Moves.of(Order.LADDER, world)) {
                if (move.name().equals(wanted)) {
                    take(move);
                    compare(wanted);
                    return;
                }
            }
            if (!silent(number)) {
                fail("the model has no move: " + wanted + " at "
                        + world.actors().get(number));
                return;
            }
        }
    }

    private boolean silent(int number) {
        List<Move> now = Moves.of(Order.LADDER, world);
        for (String silent : SILENT) {
            for (Move move : now) {
                if (move.name().equals(number + " " + silent)) {
                    take(move);
                    return true;
                }
            }
        }
        return false;
    }

    private void take(Move move) {
        way.add(move.name());
        world = move.next();
        if (move.wrong() != null) {
            fail(move.wrong());
        }
    }

    private void compare(String after) {
        same("the fast store", after, record, world.fast(), world.fastNow());
        same("the judge", after, judge.committed(), world.judge(), world.now());
    }

    private void same(String store, String after, @Nullable StoredRecord real, @Nullable StoredRecord model, long now) {
        String is = seen(real, now());
        String was = seen(model, now);
        if (!is.equals(was)) {
            fail(store + " is " + is + " after " + after + ", and in the model " + was);
        }
    }

    private static String seen(@Nullable StoredRecord record, long now) {
        return record == null || record.expired(now) ? "empty" : record.state() + (record.leased(now) ? " leased" : "");
    }

    private void fail(String why) {
        if (failure == null) {
            failure = new AssertionError(why);
        }
    }

    /** The model's present view of the one who asks. */
    Actor me() {
        return world.actors().get(((Runner) Thread.currentThread()).number);
    }

    long now() {
        return world.now() * RecordMachine.micros(TICK);
    }

    /** What becomes of the next commit. */
    Loss loss() {
        if (losses == 0 || chance(2)) {
            return Loss.NONE;
        }
        losses--;
        return chance(2) ? Loss.REPLY : Loss.COMMIT;
    }

    static int value(ClaimAnswer.Replay replay) {
        byte[] bytes = replay.result().bytes();
        return bytes[bytes.length - 1] - '0';
    }

    /** The fast store of one key, which may not answer. */
    private final class Fast implements RecordStore {
        @Override
        public String name() {
            return "fast";
        }

        private boolean silent() {
            if (losses == 0 || !chance(4)) {
                return false;
            }
            losses--;
            return true;
        }

        private <A> A asked(Supplier<Decision<A>> question, Function<A, String> name) {
            boolean[] silent = {false};
            A answer = step(
                    () -> {
                        silent[0] = silent();
                        Decision<A> decision = question.get();
                        if (!silent[0]) {
                            record = decision.record();
                        }
                        return decision.answer();
                    },
                    asked -> silent[0] ? NOTHING : name.apply(asked));
            if (silent[0]) {
                throw new StoreUnavailableException("fast", "the trace wants no answer", null);
            }
            return answer;
        }

        @Override
        public ClaimAnswer claim(ClaimRequest request) {
            return asked(() -> RecordMachine.claim(record, request, now()), answer -> {
                boolean confirms = me().step() == Step.CONFIRM;
                if (answer instanceof ClaimAnswer.Granted) {
                    return confirms ? "claims what it does not want" : "claims";
                } else if (answer instanceof ClaimAnswer.Mismatch) {
                    return "meets another payload in the fast store" + (confirms ? " again" : "");
                } else if (confirms) {
                    return "meets no other payload any more";
                }
                return answer instanceof ClaimAnswer.Replay replay
                        ? "is answered " + value(replay) + " by the fast store"
                        : "is held by the fast store";
            });
        }

        @Override
        public HolderAnswer renew(ClaimRef claim, Duration lease) {
            throw new StoreUnavailableException("fast", "leases are longer than the trace", null);
        }

        @Override
        public HolderAnswer settle(ClaimRef claim, Settlement settlement) {
            return asked(
                    () -> RecordMachine.settle(record, claim, settlement, now()),
                    answer -> "settles the fast store: " + answer);
        }

        @Override
        public HolderAnswer release(ClaimRef claim) {
            return asked(() -> RecordMachine.release(record, claim, now()), answer -> "releases the fast store");
        }
    }
}
