package io.oncegate.core.ladder;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.Call;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The engine takes the steps that {@link LadderExplorationTest} has gone through, and no others; except for renewals, which are
 * not due within a trace, and forgets.
 */
class LadderTraceTest {
    private static final int TRACES = Integer.getInteger("oncegate.ladder.traces", 250);
    private static final Operation<String> OPERATION = Operation.named("order.create")
            .returning(String.class)
            .lease(Trace.TICK.multipliedBy(2))
            .retention(Trace.TICK.multipliedBy(4))
            .build();

    @Test
    @DisplayName("each step of the engine is a move of the model, whatever happens in between")
    void theEngineFollowsTheModel() throws InterruptedException {
        long first = System.nanoTime();
        Set<String> seen = new HashSet<>();
        for (long seed = first; seed < first + TRACES; seed++) {
            try {
                play(seed).forEach(move -> seen.add(move.replaceFirst("^\\d ", "")));
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertThat(seen)
                .contains(
                        "claims",
                        "is held by the fast store",
                        "is held by the judge",
                        "is let through by the judge",
                        "fails",
                        "commits and is not told",
                        "finds its commit",
                        "finds no commit of its own",
                        "settles the fast store: DONE",
                        "settles the fast store: LOST",
                        "releases the fast store",
                        "goes on without the fast store",
                        "meets another payload in the fast store again",
                        "is refused by the judge",
                        "dies");
    }

    private static List<String> play(long seed) throws InterruptedException {
        List<Actor> actors = List.of(Actor.caller(0, 'a'), Actor.caller(1, 'a'), Actor.caller(2, 'b'));
        Trace trace = new Trace(seed, 6, 2, 1, 2, actors);
        for (Actor actor : actors) {
            boolean fails = trace.chance(4);
            Call<String> call =
                    OPERATION.call(Scope.of("alice"), "key", Fingerprint.of(String.valueOf(actor.payload())));
            trace.start(actor.number(), () -> {
                // One of its own each, as in processes of their own.
                try (Oncegate ladder = Oncegate.ladder(trace.fast, trace.judge)
                        .settleFor(Duration.ZERO)
                        .build()) {
                    var unused = ladder.run(call, claim -> {
                        if (fails) {
                            throw new IllegalStateException("fails");
                        }
                        return String.valueOf(actor.number());
                    });
                }
            });
        }
        return trace.play();
    }
}
