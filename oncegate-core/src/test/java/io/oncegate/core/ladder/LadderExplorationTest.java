package io.oncegate.core.ladder;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.ladder.Explorer.Found;
import io.oncegate.core.ladder.World.Faults;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Every interleaving of a few callers, forgetters and what may go wrong: the ladder's order holds, and others do not. */
class LadderExplorationTest {
    private static final Logger LOG = LoggerFactory.getLogger(LadderExplorationTest.class);
    private static final Actor FIRST = Actor.caller(0, 'a');
    private static final Actor SECOND = Actor.caller(1, 'a');
    private static final Actor THIRD = Actor.caller(2, 'a');
    private static final Actor OTHER = Actor.caller(2, 'b');

    private static Faults faults(int ticks, int flushes, int crashes, int losses) {
        return new Faults(ticks, flushes, crashes, losses, 0, 0);
    }

    private static World world(Faults faults, Actor... actors) {
        return World.begin(faults, List.of(actors));
    }

    static Stream<Arguments> worlds() {
        Actor forgetter = Actor.forgetter(2, Order.LADDER);
        return Stream.of(
                Arguments.of("expiry", world(faults(4, 1, 0, 0), FIRST, SECOND)),
                Arguments.of("crash, pause and lost replies", world(faults(2, 1, 1, 1), FIRST, SECOND)),
                Arguments.of("three twins", world(faults(2, 1, 0, 0), FIRST, SECOND, THIRD)),
                Arguments.of("operations without a result", world(faults(4, 1, 0, 1), Actor.bare(0), Actor.bare(1))),
                Arguments.of("renewals without an answer", renewals()),
                Arguments.of("another payload", world(faults(0, 1, 0, 1), FIRST, SECOND, OTHER)),
                Arguments.of("a forget", world(faults(2, 1, 1, 0), FIRST, SECOND, forgetter)),
                Arguments.of(
                        "two forgets", world(faults(2, 1, 1, 0), FIRST, Actor.forgetter(1, Order.LADDER), forgetter)),
                Arguments.of("an old back-up comes back", world(new Faults(2, 1, 0, 0, 1, 0), FIRST, SECOND)),
                Arguments.of("a clock that steps back", world(new Faults(4, 0, 0, 0, 0, 1), FIRST, SECOND)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("worlds")
    @DisplayName("the ladder's order breaks no promise in any interleaving")
    void theLaddersOrderHolds(String name, World begin) {
        Found found = Explorer.explore(Order.LADDER, begin);
        LOG.info("{}: {}", name, found);
        assertThat(found.broken()).as(found.toString()).isNull();
        assertThat(found.worlds()).isGreaterThan(5_000);
    }

    static Stream<Arguments> otherOrders() {
        World twins = world(faults(4, 0, 0, 0), FIRST, SECOND);
        World forgets = world(faults(0, 1, 0, 0), FIRST, SECOND, THIRD, Actor.forgetter(3, Order.FORGET_FAST_FIRST));
        World bareForgets = world(faults(0, 1, 0, 0), FIRST, SECOND, Actor.forgetter(2, Order.FORGET_WITHOUT_MARK));
        World losses = world(faults(0, 0, 0, 1), FIRST, SECOND);
        String twice = "a second effect";
        String tooOld = "an answer that is older than the judge's retention";
        return Stream.of(
                Arguments.of(Order.SETTLE_BEFORE_COMMIT, twins, "an answer of a run that is not committed"),
                Arguments.of(Order.BELIEVE_FREE, twins, twice),
                Arguments.of(Order.LOOK_UP_FIRST, twins, twice),
                Arguments.of(Order.READERS_WRITE, answeredByTheJudge(), tooOld),
                Arguments.of(Order.SETTLE_WITHOUT_CLAIM, twins, tooOld),
                Arguments.of(Order.WHOLE_RETENTION, twins, tooOld),
                Arguments.of(Order.RENEW_THROUGH_COMMIT, twins, tooOld),
                Arguments.of(Order.SETTLE_OUTSIDE_LEASE, twins, tooOld),
                Arguments.of(Order.SETTLE_DESPITE_RENEWAL, renewals(), tooOld),
                Arguments.of(
                        Order.COUNT_FROM_THE_RETURN, world(faults(4, 0, 0, 0), Actor.bare(0), Actor.bare(1)), tooOld),
                Arguments.of(Order.ASSUME_ROLLBACK, losses, "its caller is told that nothing happened"),
                Arguments.of(Order.ASSUME_COMMIT, losses, "its caller is told of a run that is not committed"),
                Arguments.of(Order.LOOK_WITHOUT_LOCK, losses, "its caller is told that nothing happened"),
                Arguments.of(
                        Order.TRUST_FAST_PAYLOAD,
                        world(faults(0, 1, 0, 0), FIRST, SECOND, OTHER),
                        "an answer to another payload"),
                Arguments.of(
                        Order.BELIEVE_MISMATCH,
                        world(faults(0, 1, 0, 0), FIRST, SECOND, OTHER),
                        "a repetition is refused as another payload"),
                Arguments.of(Order.FORGET_FAST_FIRST, forgets, "an answer that was forgotten"),
                Arguments.of(Order.FORGET_WITHOUT_MARK, bareForgets, twice));
    }

    /** A lease that is long enough for a renewal to arrive late in it. */
    private static World renewals() {
        return World.begin(faults(5, 0, 0, 1), 3, 5, List.of(FIRST, SECOND));
    }

    /** A world in which one has run and lost the fast store, and the next has read the answer at the judge. */
    private static World answeredByTheJudge() {
        return Explorer.play(
                Order.READERS_WRITE,
                world(faults(4, 1, 0, 0), FIRST, SECOND, THIRD),
                "0 claims",
                "0 is let through by the judge",
                "0 returns",
                "0 commits",
                "the fast store loses all",
                "1 claims",
                "1 is answered 0 by the judge");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("otherOrders")
    @DisplayName("another order breaks a promise, and the shortest way to that is told")
    void anotherOrderDoesNot(Order order, World begin, String promise) {
        Found found = Explorer.explore(order, begin);
        LOG.info("{}: {}", order, found);
        assertThat(found.broken()).isEqualTo(promise);
        assertThat(found.way()).isNotEmpty();
        assertThat(Explorer.explore(Order.LADDER, begin(begin, order)).broken())
                .as("the ladder's order in the same world")
                .isNull();
    }

    /** The same world for the ladder's order, whose forgetters begin otherwise. */
    private static World begin(World world, Order order) {
        World same = order == Order.READERS_WRITE ? world(faults(3, 1, 0, 0), FIRST, SECOND) : world;
        for (Actor actor : same.actors()) {
            if (actor.payload() == '-') {
                same = same.with(Actor.forgetter(actor.number(), Order.LADDER));
            }
        }
        return same;
    }

    @Test
    @DisplayName("each other order is among those that are tried")
    void allOrdersAreTried() {
        Set<Order> tried = EnumSet.of(Order.LADDER);
        otherOrders().forEach(arguments -> tried.add((Order) arguments.get()[0]));
        assertThat(tried).containsExactlyInAnyOrder(Order.values());
    }
}
