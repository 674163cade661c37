package io.oncegate.core.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.AmbiguousTransitionException;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.key.Fingerprint;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a declaration has to be, and what a machine decides. */
class StateMachineTest {
    enum State {
        OPEN,
        HELD,
        DONE
    }

    enum Event {
        HOLD,
        FREE,
        FINISH
    }

    enum Odd {
        END,
        NOTE,
        STATE,
        $money,
        Plain_1
    }

    enum Go {
        GO,
        END
    }

    private static StateMachine.Builder<State, Event> builder() {
        return StateMachine.named("thing", State.class, Event.class).initial(State.OPEN);
    }

    private static StateMachine.Builder<State, Event> sound() {
        return builder()
                .transition(State.HELD, Event.FREE, State.OPEN)
                .transition(State.OPEN, Event.FINISH, State.DONE)
                .transition(State.OPEN, Event.HOLD, State.HELD)
                .end(State.DONE);
    }

    @Test
    void anUnreachableStateIsNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder()
                        .transition(State.OPEN, Event.FINISH, State.DONE)
                        .transition(State.HELD, Event.FREE, State.OPEN)
                        .ignoring(Event.HOLD)
                        .end(State.DONE)
                        .build())
                .withMessageContaining("the state HELD is never reached from OPEN")
                .withMessageNotContaining("nothing leads out");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sound().without(State.HELD).build())
                .withMessageContaining("HELD is used, and declared with without()");
    }

    @Test
    void aStateWithoutAWayOutIsNamedUnlessItIsAnEnd() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder()
                        .transition(State.OPEN, Event.HOLD, State.HELD)
                        .transition(State.HELD, Event.FREE, State.HELD)
                        .transition(State.OPEN, Event.FINISH, State.DONE)
                        .build())
                .withMessageContaining("nothing leads out of the state HELD")
                .withMessageContaining("nothing leads out of the state DONE");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sound().end(State.HELD).build())
                .withMessageContaining("HELD is declared as an end, and has transitions");
    }

    @Test
    void anEventThatIsNeverUsedIsNamedUnlessItIsIgnored() {
        StateMachine.Builder<State, Event> machine = builder()
                .transition(State.OPEN, Event.FINISH, State.DONE)
                .end(State.DONE)
                .without(State.HELD);
        assertThatIllegalArgumentException()
                .isThrownBy(machine::build)
                .withMessageContaining("HOLD is never used")
                .withMessageContaining("FREE is never used");
        StateMachine<State, Event> built =
                machine.ignoring(Event.HOLD, Event.FREE).build();
        assertThat(built.decide(State.OPEN, Event.HOLD, t -> true)).isInstanceOf(Decision.Illegal.class);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sound().ignoring(Event.HOLD).build())
                .withMessageContaining("HOLD is used, and declared with ignoring()");
    }

    @Test
    void twoTransitionsBetweenWhichNothingDecidesAreNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        sound().transition(State.OPEN, Event.HOLD, State.DONE).build())
                .withMessageContaining("nothing decides between OPEN --HOLD--> HELD and OPEN --HOLD--> DONE");
        assertThatIllegalArgumentException()
                .as("one that always holds, and one with a guard")
                .isThrownBy(() -> sound().transition(
                                State.OPEN, Event.HOLD, State.DONE, t -> t.guard("late", f -> true))
                        .build())
                .withMessageContaining("nothing decides");
    }

    @Test
    void allThatIsWrongIsSaidAtOnce() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StateMachine.named("thing", State.class, Event.class)
                        .transition(State.OPEN, Event.HOLD, State.HELD)
                        .build())
                .withMessageContaining("state machine thing")
                .withMessageContaining("no initial state")
                .withMessageContaining("nothing leads out of the state HELD")
                .withMessageContaining("the event FREE is never used");
        assertThatThrownBy(() -> StateMachine.named("no name", State.class, Event.class))
                .isInstanceOf(InvalidKeyException.class);
    }

    @Test
    void decidesByStateAndEvent() {
        StateMachine<State, Event> machine = sound().build();
        assertThat(machine.decide(State.OPEN, Event.HOLD, t -> true))
                .isInstanceOfSatisfying(
                        Decision.Legal.class,
                        legal -> assertThat(legal.transition()).hasToString("OPEN --HOLD--> HELD"));
        assertThat(machine.decide(State.DONE, Event.FINISH, t -> true))
                .isEqualTo(new Decision.Illegal<>(State.DONE, machine.allowed(State.DONE), true, false));
        assertThat(machine.decide(State.HELD, Event.FINISH, t -> true))
                .isEqualTo(new Decision.Illegal<>(State.HELD, machine.allowed(State.HELD), false, false));
        assertThat(machine.allowed(State.OPEN)).containsExactly(Event.HOLD, Event.FINISH);
        assertThat(machine.allowed(State.DONE)).isEmpty();
        assertThat(machine.ends()).containsExactly(State.DONE);
    }

    @Test
    void ofSeveralGuardsOneAtMostMayHold() {
        StateMachine<State, Event> machine = builder()
                .transition(State.OPEN, Event.HOLD, State.HELD, t -> t.guard("early", f -> true))
                .transition(State.OPEN, Event.HOLD, State.DONE, t -> t.guard("late", f -> true))
                .transition(State.HELD, Event.FREE, State.OPEN)
                .transition(State.OPEN, Event.FINISH, State.DONE)
                .end(State.DONE)
                .build();
        assertThat(machine.decide(State.OPEN, Event.HOLD, t -> t.to() == State.DONE))
                .isInstanceOfSatisfying(
                        Decision.Legal.class,
                        legal -> assertThat(legal.transition()).hasToString("OPEN --HOLD--> DONE"));
        assertThat(machine.decide(State.OPEN, Event.HOLD, t -> false))
                .isInstanceOfSatisfying(
                        Decision.Illegal.class, no -> assertThat(no.guarded()).isTrue());
        assertThatThrownBy(() -> machine.decide(State.OPEN, Event.HOLD, t -> true))
                .isInstanceOf(AmbiguousTransitionException.class)
                .hasMessageContaining("OPEN --HOLD--> HELD")
                .hasMessageContaining("OPEN --HOLD--> DONE");
    }

    @Test
    void aTransitionHasOneGuardAndOneAction() {
        assertThatThrownBy(() -> sound().transition(
                                State.OPEN,
                                Event.HOLD,
                                State.DONE,
                                t -> t.guard("a", f -> true).guard("b", f -> true)))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> sound().transition(
                                State.OPEN,
                                Event.HOLD,
                                State.DONE,
                                t -> t.action(f -> {}).action(f -> {})))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void theDiagramIsTheSameForTheSameDeclarationInAnyOrder() {
        String expected = """
                stateDiagram-v2
                    [*] --> OPEN
                    OPEN --> HELD : HOLD
                    OPEN --> DONE : FINISH
                    HELD --> OPEN : FREE
                    DONE --> [*]
                """;
        assertThat(sound().build().mermaid()).isEqualTo(expected);
        assertThat(builder()
                        .end(State.DONE)
                        .transition(State.OPEN, Event.HOLD, State.HELD)
                        .transition(State.OPEN, Event.FINISH, State.DONE)
                        .transition(State.HELD, Event.FREE, State.OPEN)
                        .build()
                        .mermaid())
                .isEqualTo(expected);
    }

    @Test
    void namesThatMermaidWouldTakeForItsOwnAreWrittenAsTexts() {
        StateMachine<Odd, Go> machine = StateMachine.named("odd", Odd.class, Go.class)
                .initial(Odd.END)
                .transition(Odd.END, Go.GO, Odd.NOTE)
                .transition(Odd.NOTE, Go.GO, Odd.STATE, t -> t.guard("a\n[*] --> x; \"b\": c", f -> true))
                .transition(Odd.STATE, Go.GO, Odd.$money)
                .transition(Odd.$money, Go.END, Odd.Plain_1)
                .end(Odd.Plain_1)
                .build();
        assertThat(machine.mermaid()).isEqualTo("""
                        stateDiagram-v2
                            state "END" as state_0__
                            state "NOTE" as state_1__
                            state "STATE" as state_2__
                            state "_money" as state_3__
                            [*] --> state_0__
                            state_0__ --> state_1__ : GO
                            state_1__ --> state_2__ : GO [a__*_ --> x_ _b__ c]
                            state_2__ --> state_3__ : GO
                            state_3__ --> Plain_1 : END
                            Plain_1 --> [*]
                        """);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " ", "\t\n", "\ud800"})
    void anEventNeedsAnId(String id) {
        assertThatThrownBy(() -> StateEvent.of(Event.HOLD, id)).isInstanceOf(InvalidKeyException.class);
    }

    @Test
    void anEventsIdIsBoundedInBytesAndNeverShown() {
        assertThat(StateEvent.of(Event.HOLD, "é".repeat(127)).id()).hasSize(127);
        assertThatThrownBy(() -> StateEvent.of(Event.HOLD, "é".repeat(128)))
                .isInstanceOf(InvalidKeyException.class)
                .hasMessageNotContaining("é");
        assertThat(StateEvent.of(Event.HOLD, "secret").carrying("secret", Fingerprint.of("secret")))
                .hasToString("StateEvent[HOLD]");
    }

    @Test
    void transitionsAreInTheOrderOfTheEnums() {
        assertThat(sound().build().transitions().stream().map(Object::toString).toList())
                .isEqualTo(List.of("OPEN --HOLD--> HELD", "OPEN --FINISH--> DONE", "HELD --FREE--> OPEN"));
    }
}
