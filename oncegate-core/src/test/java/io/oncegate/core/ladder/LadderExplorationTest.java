package io.oncegate.core.ladder;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.ladder.Explorer.Found;
import io.oncegate.core.ladder.World.Faults;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Every interleaving of a few callers, a forgetter and what may go wrong: the ladder's order holds, and others do not. */
class LadderExplorationTest {
    private static final Logger LOG = LoggerFactory.getLogger(LadderExplorationTest.class);

    private static World twoTwins(Faults faults) {
        return World.begin(faults, List.of(Actor.caller(0, 'a'), Actor.caller(1, 'a')));
    }

    private static World threeCallers(Faults faults) {
        return World.begin(faults, List.of(Actor.caller(0, 'a'), Actor.caller(1, 'a'), Actor.caller(2, 'b')));
    }

    private static World threeTwins(Faults faults) {
        return World.begin(faults, List.of(Actor.caller(0, 'a'), Actor.caller(1, 'a'), Actor.caller(2, 'a')));
    }

    private static World forgetter(Order order, Faults faults) {
        return World.begin(
                faults, List.of(Actor.caller(0, 'a'), Actor.caller(1, 'a'), Actor.caller(2, 'a'), Actor.forgetter(3, order)));
    }

    static Stream<Arguments> worlds() {
        return Stream.of(
                Arguments.of("expiry", threeTwins(new Faults(9, 1, 0, 1, 0, 0))),
                Arguments.of("crash and pause", threeTwins(new Faults(4, 1, 1, 1, 0, 0))),
                Arguments.of("another payload", threeCallers(new Faults(4, 2, 1, 1, 0, 0))),
                Arguments.of("a forget", forgetter(Order.LADDER, new Faults(3, 1, 1, 0, 0, 0))),
                Arguments.of("an old snapshot", threeTwins(new Faults(3, 1, 0, 0, 1, 0))),
                Arguments.of("a clock that steps back", threeTwins(new Faults(7, 1, 0, 0, 0, 1))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("worlds")
    @DisplayName("the ladder's order breaks no promise in any interleaving")
    void theLaddersOrderHolds(String name, World world) {
        Found found = Explorer.explore(Order.LADDER, world);
        LOG.info("{}: {}", name, found);
        assertThat(found.broken()).as(found.toString()).isNull();
        assertThat(found.worlds()).isGreaterThan(1000);
    }
}
