package io.oncegate.core.ladder;

import io.oncegate.core.spi.StoredRecord;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything there is, of one key. Immutable.
 *
 * @param now the time of both stores
 * @param fastLag how far the fast store's clock is behind
 * @param fast the fast store's record
 * @param judge the judge's committed record
 * @param open the record in an open transaction, which locks the key's row
 * @param owner whose transaction that is
 * @param actors who acts
 * @param effects what has been committed
 * @param forgets how many forgets have begun
 * @param epoch how many forgets are done
 * @param snapshot an old state of the fast store
 * @param left what may still go wrong
 * @param wrongFast whether the fast store has ever been wrong: then it may tell old answers, and the effects still count
 * @param lease how long a claim in the fast store lasts, in ticks
 * @param retention how long the judge's record answers, in ticks
 */
record World(
        long now,
        long fastLag,
        @Nullable StoredRecord fast,
        @Nullable StoredRecord judge,
        @Nullable StoredRecord open,
        int owner,
        List<Actor> actors,
        List<Effect> effects,
        int forgets,
        int epoch,
        @Nullable StoredRecord snapshot,
        Faults left,
        boolean wrongFast,
        long lease,
        long retention) {
    /**
     * What a committed run did.
     *
     * @param value what it returned
     * @param payload what was asked for
     * @param forgets how many forgets had begun
     * @param epoch how many forgets were done
     * @param until when the judge's retention of it ends
     */
    record Effect(int value, char payload, int forgets, int epoch, long until) {}

    /**
     * How often something may still happen.
     *
     * @param ticks the time moves on
     * @param flushes the fast store loses all
     * @param crashes an actor dies
     * @param losses a call to the fast store, or the reply to a commit, is lost
     * @param restores an old state of the fast store comes back
     * @param steps the fast store's clock steps back
     */
    record Faults(int ticks, int flushes, int crashes, int losses, int restores, int steps) {
        Faults minus(int tick, int flush, int crash, int loss, int restore, int step) {
            return new Faults(
                    ticks - tick, flushes - flush, crashes - crash, losses - loss, restores - restore, steps - step);
        }
    }

    static World begin(Faults faults, List<Actor> actors) {
        return begin(faults, 2, 4, actors);
    }

    static World begin(Faults faults, long lease, long retention, List<Actor> actors) {
        return new World(1000, 0, null, null, null, -1, actors, List.of(), 0, 0, null, faults, false, lease, retention);
    }

    long fastNow() {
        return now - fastLag;
    }

    World with(Actor actor) {
        List<Actor> next = new ArrayList<>(actors);
        next.set(actor.number(), actor);
        return new World(
                now,
                fastLag,
                fast,
                judge,
                open,
                owner,
                List.copyOf(next),
                effects,
                forgets,
                epoch,
                snapshot,
                left,
                wrongFast,
                lease,
                retention);
    }

    World fast(@Nullable StoredRecord record) {
        return new World(
                now, fastLag, record, judge, open, owner, actors, effects, forgets, epoch, snapshot, left, wrongFast,
                lease, retention);
    }

    World judge(@Nullable StoredRecord record) {
        return new World(
                now, fastLag, fast, record, open, owner, actors, effects, forgets, epoch, snapshot, left, wrongFast,
                lease, retention);
    }

    World begun(StoredRecord record, int by) {
        return new World(
                now, fastLag, fast, judge, record, by, actors, effects, forgets, epoch, snapshot, left, wrongFast,
                lease, retention);
    }

    World rolledBack(int by) {
        return owner != by
                ? this
                : new World(
                        now, fastLag, fast, judge, null, -1, actors, effects, forgets, epoch, snapshot, left, wrongFast,
                        lease, retention);
    }

    World committed(@Nullable StoredRecord record, Effect effect) {
        List<Effect> all = new ArrayList<>(effects);
        all.add(effect);
        return new World(
                now,
                fastLag,
                fast,
                record,
                null,
                -1,
                actors,
                List.copyOf(all),
                forgets,
                epoch,
                snapshot,
                left,
                wrongFast,
                lease,
                retention);
    }

    World forgetting() {
        return new World(
                now,
                fastLag,
                fast,
                judge,
                open,
                owner,
                actors,
                effects,
                forgets + 1,
                epoch,
                snapshot,
                left,
                wrongFast,
                lease,
                retention);
    }

    World forgotten() {
        return new World(
                now, fastLag, fast, judge, open, owner, actors, effects, forgets, epoch + 1, snapshot, left, wrongFast,
                lease, retention);
    }

    World left(Faults faults) {
        return new World(
                now, fastLag, fast, judge, open, owner, actors, effects, forgets, epoch, snapshot, faults, wrongFast,
                lease, retention);
    }

    World tick() {
        return new World(
                now + 1, fastLag, fast, judge, open, owner, actors, effects, forgets, epoch, snapshot, left, wrongFast,
                lease, retention);
    }

    World fastClockStepsBack(long by) {
        return new World(
                now,
                fastLag + by,
                fast,
                judge,
                open,
                owner,
                actors,
                effects,
                forgets,
                epoch,
                snapshot,
                left,
                true,
                lease,
                retention);
    }

    World remembered() {
        return new World(
                now, fastLag, fast, judge, open, owner, actors, effects, forgets, epoch, fast, left, wrongFast, lease,
                retention);
    }

    World restored() {
        return new World(
                now, fastLag, snapshot, judge, open, owner, actors, effects, forgets, epoch, null, left, true, lease,
                retention);
    }
}
