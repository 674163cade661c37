package io.oncegate.core.ladder;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.key.Scope;
import io.oncegate.core.ladder.Moves.Move;
import io.oncegate.core.ladder.World.Effect;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.StoredRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A world in which something is about to happen: what asks the stores, and what is promised. */
abstract class Scene {
    private static final RecordId ID =
            OperationKey.of("order.create", Scope.of("alice"), "key").id();

    private static final Fingerprint A = Fingerprint.of("a");
    private static final Fingerprint B = Fingerprint.of("b");

    final Order order;
    final World world;
    final long lease;
    final long retention;
    final List<Move> moves = new ArrayList<>();

    Scene(Order order, World world) {
        this.order = order;
        this.world = world;
        this.lease = world.lease();
        this.retention = world.retention();
    }

    World lossy() {
        return world.left(world.left().minus(0, 0, 0, 1, 0, 0));
    }

    boolean mayLose() {
        return world.left().losses() > 0;
    }

    void add(String name, World next) {
        moves.add(new Move(name, next, null));
    }

    void add(Actor actor, String what, World next, @Nullable String wrong) {
        moves.add(new Move(actor.number() + " " + what, next, wrong));
    }

    boolean current(Effect effect) {
        return effect.epoch() == world.epoch() && world.now() < effect.until();
    }

    /** The promise that is broken if the actor is given this value now. */
    @Nullable
    String told(Actor actor, int value) {
        Effect effect = world.effects().stream()
                .filter(each -> each.value() == value)
                .findFirst()
                .orElse(null);
        if (world.wrongFast()) {
            return null; // only effects count where the fast store itself is wrong
        }
        if (effect == null) {
            return "an answer of a run that is not committed";
        }
        if (effect.payload() != actor.payload()) {
            return "an answer to another payload";
        }
        if (effect.forgets() < world.epoch()) {
            return "an answer that was forgotten";
        }
        return world.now() < effect.until() ? null : "an answer that is older than the judge's retention";
    }

    @Nullable
    String refused(Actor actor) {
        boolean own = world.effects().stream().anyMatch(each -> current(each) && each.payload() == actor.payload());
        return own && !world.wrongFast() ? "a repetition is refused as another payload" : null;
    }

    /** The promise that is broken if the actor commits now. */
    @Nullable
    String twice() {
        boolean another = world.effects().stream().anyMatch(this::current);
        return another ? "a second effect" : null;
    }

    StoredRecord written(Actor actor, long fence) {
        Settlement settlement =
                new Settlement(RecordState.SUCCEEDED, payload(actor.number()), micros(retention), micros(retention));
        return RecordMachine.settledFirst(request(actor, retention), settlement, fence, world.now());
    }

    ClaimRequest request(Actor actor, long kept) {
        return new ClaimRequest(
                ID,
                "order.create",
                actor.payload() == 'a' ? A : B,
                attempt(actor),
                micros(lease),
                micros(kept),
                0,
                null);
    }

    static AttemptId attempt(Actor actor) {
        return new AttemptId(0, actor.number() + 1);
    }

    static ClaimRef ref(Actor actor) {
        return new ClaimRef(ID, actor.claim(), attempt(actor));
    }

    static Payload payload(int value) {
        return Payload.of(new byte[] {(byte) value});
    }

    static int value(ClaimAnswer.Replay replay) {
        return replay.result().bytes()[0];
    }

    static Duration micros(long micros) {
        return RecordMachine.micros(micros);
    }
}
