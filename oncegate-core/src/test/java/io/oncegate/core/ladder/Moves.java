package io.oncegate.core.ladder;

import io.oncegate.core.ladder.Actor.Renewal;
import io.oncegate.core.ladder.Actor.Step;
import io.oncegate.core.ladder.World.Effect;
import io.oncegate.core.ladder.World.Faults;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.MarkAnswer;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.RecordMachine.Decision;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.StoredRecord;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that can happen next in a world. Each move is one atomic step of a store or of an actor; between any two of them all
 * others may move, the time may pass, and what may go wrong may go wrong: so an actor that pauses is one that does not move,
 * and a message that is late is one that has not been sent. The stores decide by {@link RecordMachine}.
 */
final class Moves extends Scene {
    /**
     * A move.
     *
     * @param name what happens
     * @param next the world afterwards
     * @param wrong the promise that it breaks, or null
     */
    record Move(String name, World next, @Nullable String wrong) {}

    private Moves(Order order, World world) {
        super(order, world);
    }

    static List<Move> of(Order order, World world) {
        Moves moves = new Moves(order, world);
        moves.faults();
        for (Actor actor : world.actors()) {
            moves.act(actor);
            moves.arrive(actor);
        }
        return moves.moves;
    }

    /** What was sent and not answered arrives, whatever its sender does by now. */
    private void arrive(Actor actor) {
        if (actor.renewal() == Renewal.ON_ITS_WAY) {
            Decision<HolderAnswer> renewed =
                    RecordMachine.renew(world.fast(), ref(actor), micros(lease), world.fastNow());
            Actor arrived = actor.renewing(Renewal.ARRIVED).at(actor.step());
            World next = world.fast(renewed.record()).with(arrived);
            add(actor, "has its renewal arrive: " + renewed.answer(), next, null);
        }
        if (commitIsOnItsWay(actor)) {
            String wrong = actor.step() == Step.RELEASE ? "its caller is told that nothing happened" : twice();
            add(actor, "has its commit arrive", committed(actor), wrong);
            add(actor, "has its commit lost", world.rolledBack(actor.number()), null);
        }
    }

    private boolean commitIsOnItsWay(Actor actor) {
        return world.owner() == actor.number()
                && (actor.step() == Step.LOOK || actor.step() == Step.RELEASE || actor.step() == Step.END);
    }

    private void faults() {
        Faults left = world.left();
        if (left.ticks() > 0) {
            add("the time moves on", world.tick().left(left.minus(1, 0, 0, 0, 0, 0)));
        }
        if (left.flushes() > 0 && world.fast() != null) {
            add("the fast store loses all", world.fast(null).left(left.minus(0, 1, 0, 0, 0, 0)));
        }
        if (left.restores() > 0 && world.fast() != null && world.snapshot() == null) {
            add("the fast store is backed up", world.remembered());
        }
        if (left.restores() > 0 && world.snapshot() != null) {
            add("the fast store's back-up is restored", world.restored().left(left.minus(0, 0, 0, 0, 1, 0)));
        }
        if (left.steps() > 0) {
            add(
                    "the fast store's clock steps back",
                    world.fastClockStepsBack(retention).left(left.minus(0, 0, 0, 0, 0, 1)));
        }
        if (left.crashes() > 0) {
            for (Actor actor : world.actors()) {
                if (!actor.ended()) {
                    World without = commitIsOnItsWay(actor) ? world : world.rolledBack(actor.number());
                    add(
                            actor.number() + " dies",
                            without.with(actor.at(Step.END)).left(left.minus(0, 0, 1, 0, 0, 0)));
                }
            }
        }
    }

    private void act(Actor actor) {
        switch (actor.step()) {
            case CLAIM -> claim(actor);
            case CONFIRM -> confirm(actor);
            case JUDGE -> judge(actor);
            case RUN -> run(actor);
            case COMMIT -> commit(actor);
            case LOOK -> look(actor);
            case SETTLE -> settle(actor);
            case RELEASE -> release(actor);
            case MARK -> mark(actor);
            case FORGET_FAST -> forgetFast(actor);
            case FORGET_JUDGE -> forgetJudge(actor);
            case END -> {}
        }
        boolean renews = actor.step() == Step.RUN
                || (order == Order.RENEW_THROUGH_COMMIT
                        && (actor.step() == Step.COMMIT || actor.step() == Step.LOOK || actor.step() == Step.SETTLE));
        if (renews && actor.claim() != 0) {
            Decision<HolderAnswer> renewed =
                    RecordMachine.renew(world.fast(), ref(actor), micros(lease), world.fastNow());
            add(actor, "renews its fast claim: " + renewed.answer(), world.fast(renewed.record()), null);
            if (mayLose() && actor.renewal() == Renewal.NONE) {
                World next = lossy().with(actor.renewing(Renewal.ON_ITS_WAY));
                add(actor, "renews its fast claim and is not told", next, null);
            }
        }
    }

    private void claim(Actor actor) {
        if (mayLose()) {
            add(actor, "goes on without the fast store", lossy().with(actor.at(Step.JUDGE)), null);
        }
        long kept = order == Order.SETTLE_OUTSIDE_LEASE ? retention : 0;
        Decision<ClaimAnswer> claimed = RecordMachine.claim(world.fast(), request(actor, kept), world.fastNow());
        World next = world.fast(claimed.record());
        if (claimed.answer() instanceof ClaimAnswer.Granted granted) {
            if (mayLose()) {
                add(
                        actor,
                        "claims and is not told",
                        lossy().fast(claimed.record()).with(actor.at(Step.JUDGE)),
                        null);
            }
            Step then = order == Order.BELIEVE_FREE ? Step.RUN : Step.JUDGE;
            add(actor, "claims", next.with(actor.claimed(granted.fence()).at(then)), null);
        } else if (claimed.answer() instanceof ClaimAnswer.Replay replay) {
            int value = value(replay);
            add(
                    actor,
                    "is answered " + value + " by the fast store",
                    next.with(actor.at(Step.END)),
                    told(actor, value));
        } else if (claimed.answer() instanceof ClaimAnswer.Mismatch && order == Order.BELIEVE_MISMATCH) {
            add(actor, "is told of another payload", next.with(actor.at(Step.END)), refused(actor));
        } else if (claimed.answer() instanceof ClaimAnswer.Mismatch) {
            Actor met = actor.mismatched().at(Step.JUDGE);
            add(actor, "meets another payload in the fast store", next.with(met), null);
        } else {
            add(actor, "is held by the fast store", next.with(actor.at(Step.END)), null);
        }
    }

    /** Whether the other payload is still there, now that the judge has said that the key is held. */
    private void confirm(Actor actor) {
        if (mayLose()) {
            add(actor, "is not told whether it is still there", lossy().with(actor.at(Step.END)), null);
        }
        Decision<ClaimAnswer> claimed = RecordMachine.claim(world.fast(), request(actor, 0), world.fastNow());
        World next = world.fast(claimed.record());
        if (claimed.answer() instanceof ClaimAnswer.Granted granted) {
            Actor unwanted = actor.claimed(granted.fence()).at(Step.RELEASE);
            add(actor, "claims what it does not want", next.with(unwanted), null);
        } else if (claimed.answer() instanceof ClaimAnswer.Mismatch) {
            Actor met = actor.mismatched().at(Step.JUDGE);
            add(actor, "meets another payload in the fast store again", next.with(met), null);
        } else {
            add(actor, "meets no other payload any more", next.with(actor.at(Step.END)), null);
        }
    }

    private void judge(Actor actor) {
        boolean locks = order != Order.LOOK_UP_FIRST;
        if (locks && world.owner() >= 0) {
            switch (actor.mismatches()) {
                case 0 -> add(actor, "is held by the judge", world.with(actor.at(Step.RELEASE)), null);
                case 1 -> add(actor, "is held by the judge", world.with(actor.at(Step.CONFIRM)), null);
                default -> add(actor, "is told of another payload", world.with(actor.at(Step.END)), refused(actor));
            }
            return;
        }
        StoredRecord known = world.judge();
        ClaimRequest request = request(actor, retention);
        if (known != null && order == Order.TRUST_FAST_PAYLOAD) {
            request = request.withFingerprint(known.fingerprint());
        }
        Decision<ClaimAnswer> asked = RecordMachine.claim(known, request, world.now());
        if (asked.answer() instanceof ClaimAnswer.Granted granted) {
            StoredRecord written = written(actor, granted.fence());
            World next = world.with(actor.at(Step.RUN));
            add(actor, "is let through by the judge", locks ? next.begun(written, actor.number()) : next, null);
        } else if (asked.answer() instanceof ClaimAnswer.Replay replay) {
            int value = value(replay);
            long remaining = world.judge() == null ? 0 : world.judge().expiresAt() - world.now();
            boolean refills = actor.claim() != 0 || order == Order.READERS_WRITE || order == Order.SETTLE_WITHOUT_CLAIM;
            Actor next = actor.knows(value, kept(remaining)).at(refills ? Step.SETTLE : Step.END);
            add(actor, "is answered " + value + " by the judge", world.with(next), told(actor, value));
        } else if (asked.answer() instanceof ClaimAnswer.Mismatch) {
            add(actor, "is refused by the judge", world.with(actor.at(Step.RELEASE)), refused(actor));
        } else {
            add(actor, "is put off by the judge", world.with(actor.at(Step.RELEASE)), null);
        }
    }

    /** How long the fast store is to keep an answer that the judge has for so long. */
    private long kept(long remaining) {
        return switch (order) {
            case WHOLE_RETENTION -> retention;
            case READERS_WRITE -> remaining;
            default -> remaining - lease;
        };
    }

    private void run(Actor actor) {
        add(actor, "fails", world.rolledBack(actor.number()).with(actor.at(Step.RELEASE)), null);
        StoredRecord open = world.open();
        boolean early = actor.bare() && open != null && order != Order.COUNT_FROM_THE_RETURN;
        Actor next = actor.knows(actor.number(), kept(early ? open.expiresAt() - world.now() : retention))
                .at(order == Order.SETTLE_BEFORE_COMMIT ? Step.SETTLE : Step.COMMIT);
        World done = world.with(next);
        add(
                actor,
                "returns",
                world.owner() == actor.number() && open != null && !actor.bare()
                        ? done.begun(written(actor, open.fence()), actor.number())
                        : done,
                null);
    }

    private void commit(Actor actor) {
        boolean first = order == Order.SETTLE_BEFORE_COMMIT;
        World done = committed(actor);
        add(actor, "commits", done.with(actor.at(first ? Step.END : afterCommit(actor))), twice());
        if (mayLose() && world.owner() == actor.number()) {
            Faults left = lossy().left();
            Step then = switch (order) {
                case ASSUME_ROLLBACK -> Step.RELEASE;
                case ASSUME_COMMIT -> afterCommit(actor);
                default -> Step.LOOK;
            };
            String wrong = order == Order.ASSUME_ROLLBACK ? "its caller is told that nothing happened" : twice();
            add(actor, "commits and is not told", done.with(actor.at(then)).left(left), wrong);
            add(
                    actor,
                    "is rolled back and not told",
                    lossy().rolledBack(actor.number()).with(actor.at(then)),
                    order == Order.ASSUME_COMMIT ? "its caller is told of a run that is not committed" : null);
            if (then == Step.LOOK) {
                add(actor, "sends its commit and is not told", lossy().with(actor.at(then)), null);
            }
        }
    }

    /** Renewals ended when the business returned; one without an answer may still arrive, so nothing is settled then. */
    private Step afterCommit(Actor actor) {
        return actor.renewal() == Renewal.NONE || order == Order.SETTLE_DESPITE_RENEWAL ? Step.SETTLE : Step.RELEASE;
    }

    private World committed(Actor actor) {
        Effect effect =
                new Effect(actor.number(), actor.payload(), world.forgets(), world.epoch(), world.now() + retention);
        if (order == Order.BELIEVE_FREE && world.owner() != actor.number()) {
            return world.committed(world.judge(), effect);
        }
        StoredRecord record = world.owner() == actor.number() && world.open() != null
                ? world.open()
                : written(actor, RecordMachine.nextFence(world.judge(), world.now()));
        return world.committed(
                record,
                new Effect(effect.value(), effect.payload(), effect.forgets(), effect.epoch(), record.expiresAt()));
    }

    private void look(Actor actor) {
        if (world.owner() >= 0 && order != Order.LOOK_WITHOUT_LOCK) {
            add(actor, "gives up looking for its commit", world.with(actor.at(Step.END)), null);
            return; // or waits for the row
        }
        ClaimAnswer answer = RecordMachine.claim(world.judge(), request(actor, retention), world.now())
                .answer();
        if (answer instanceof ClaimAnswer.Replay replay && replay.own()) {
            add(actor, "finds its commit", world.with(actor.at(afterCommit(actor))), null);
        } else {
            boolean done =
                    world.effects().stream().anyMatch(effect -> effect.value() == actor.number() && current(effect));
            add(
                    actor,
                    "finds no commit of its own",
                    world.with(actor.at(Step.RELEASE)),
                    done ? "its caller is told that nothing happened" : null);
        }
    }

    private void settle(Actor actor) {
        Step then = order == Order.SETTLE_BEFORE_COMMIT
                        && actor.value() == actor.number()
                        && world.owner() == actor.number()
                ? Step.COMMIT
                : Step.END;
        if (mayLose()) {
            add(actor, "cannot settle the fast store", lossy().with(actor.at(then)), null);
        }
        Duration keep = micros(actor.keep());
        if (actor.keep() <= 0) {
            add(actor, "has nothing to settle", world.with(actor.at(Step.RELEASE)), null);
        } else if (order == Order.SETTLE_WITHOUT_CLAIM
                || (order == Order.READERS_WRITE && actor.value() != actor.number())) {
            Settlement settlement = new Settlement(RecordState.SUCCEEDED, payload(actor.value()), keep, keep);
            StoredRecord record = RecordMachine.settledFirst(
                    request(actor, 0),
                    settlement,
                    RecordMachine.nextFence(world.fast(), world.fastNow()),
                    world.fastNow());
            add(actor, "writes into the fast store", world.fast(record).with(actor.at(then)), null);
        } else if (actor.claim() != 0) {
            Settlement settlement = new Settlement(RecordState.SUCCEEDED, payload(actor.value()), keep, keep);
            Decision<HolderAnswer> settled =
                    RecordMachine.settle(world.fast(), ref(actor), settlement, world.fastNow());
            add(
                    actor,
                    "settles the fast store: " + settled.answer(),
                    world.fast(settled.record()).with(actor.at(then)),
                    null);
        } else {
            add(actor, "has no claim to settle", world.with(actor.at(then)), null);
        }
    }

    private void release(Actor actor) {
        World ended = world.with(actor.at(Step.END));
        if (actor.claim() == 0) {
            add(actor, "ends", ended, null);
            return;
        }
        if (mayLose()) {
            add(actor, "cannot release the fast store", lossy().with(actor.at(Step.END)), null);
        }
        Decision<HolderAnswer> released = RecordMachine.release(world.fast(), ref(actor), world.fastNow());
        add(actor, "releases the fast store", ended.fast(released.record()), null);
    }

    private void mark(Actor actor) {
        if (world.owner() >= 0) {
            return; // waits for the row
        }
        Decision<MarkAnswer> marked = RecordMachine.mark(world.judge(), attempt(actor), micros(lease), world.now());
        if (marked.answer() instanceof MarkAnswer.Marked mark) {
            Actor next = actor.claimed(mark.fence()).at(Step.FORGET_FAST);
            add(
                    actor,
                    "marks the judge's record",
                    world.judge(marked.record()).forgetting().with(next),
                    null);
        } else if (marked.answer() instanceof MarkAnswer.Absent) {
            add(actor, "finds nothing at the judge", world.forgetting().with(actor.at(Step.FORGET_FAST)), null);
        } else {
            add(actor, "meets another forget", world.with(actor.at(Step.END)), null);
        }
    }

    private void forgetFast(Actor actor) {
        Decision<ForgetAnswer> forgot = RecordMachine.forget(world.fast(), world.fastNow());
        if (forgot.answer() != ForgetAnswer.HELD) {
            boolean last = order == Order.FORGET_WITHOUT_MARK || (order == Order.LADDER && actor.claim() == 0);
            World begun = order == Order.FORGET_FAST_FIRST ? world.forgetting() : world;
            World next = begun.fast(forgot.record()).with(actor.at(last ? Step.END : Step.FORGET_JUDGE));
            add(actor, "deletes in the fast store", order == Order.FORGET_WITHOUT_MARK ? next.forgotten() : next, null);
        }
    }

    private void forgetJudge(Actor actor) {
        if (world.owner() >= 0) {
            return; // waits for the row
        }
        if (order == Order.FORGET_FAST_FIRST || order == Order.FORGET_WITHOUT_MARK) {
            StoredRecord record =
                    RecordMachine.forget(world.judge(), world.now()).record();
            boolean last = order == Order.FORGET_FAST_FIRST;
            World begun = last ? world : world.forgetting();
            World next = begun.judge(record).with(actor.at(last ? Step.END : Step.FORGET_FAST));
            add(actor, "deletes at the judge", last ? next.forgotten() : next, null);
            return;
        }
        Decision<HolderAnswer> freed = RecordMachine.release(world.judge(), ref(actor), world.now());
        World next = world.judge(freed.record()).with(actor.at(Step.END));
        add(
                actor,
                "frees the judge's record: " + freed.answer(),
                freed.answer() == HolderAnswer.DONE ? next.forgotten() : next,
                null);
    }
}
