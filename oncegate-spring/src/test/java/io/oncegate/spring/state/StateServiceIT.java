package io.oncegate.spring.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.MissingEntityException;
import io.oncegate.core.state.Fired;
import io.oncegate.core.state.StateEvent;
import io.oncegate.spring.state.StateSetup.Door;
import io.oncegate.spring.state.StateSetup.Push;
import io.oncegate.testsupport.Databases;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Firing in Spring's transactions, with one connection in the pool: a second one would never be there. */
class StateServiceIT {
    static Stream<Arguments> setups() {
        return Stream.of(Databases.H2, Databases.POSTGRESQL, Databases.MARIADB)
                .flatMap(kind -> Stream.of(Arguments.of(kind, false), Arguments.of(kind, true)));
    }

    private static StateEvent<Push> open(String id) {
        return StateEvent.of(Push.OPEN, id);
    }

    private static StateEvent<Push> close(String id) {
        return StateEvent.of(Push.CLOSE, id);
    }

    @ParameterizedTest
    @MethodSource("setups")
    void withoutACallersTransactionItHasItsOwn(Databases kind, boolean jpa) {
        try (StateSetup setup = new StateSetup(kind, jpa)) {
            setup.door("d");
            assertThat(setup.doors.fire("d", open("1"))).isEqualTo(new Fired.Applied<>(Door.SHUT, Door.OPEN, 1));
            assertThat(setup.doors.fire("d", open("1"))).isEqualTo(new Fired.AlreadyApplied<>(Door.SHUT, Door.OPEN, 1));
            assertThatThrownBy(() -> setup.doors.fire("d", close("2"), firing -> {
                        setup.note("undone");
                        throw new IllegalStateException("no");
                    }))
                    .hasMessage("no");
            assertThat(setup.notes()).isZero();
            assertThat(setup.doors.find("d").orElseThrow().state()).isEqualTo(Door.OPEN);

            AtomicInteger runs = new AtomicInteger();
            Fired<Door, Push> third = setup.doors.fire("d", close("2"), firing -> {
                setup.note("closed");
                if (runs.incrementAndGet() < 3) {
                    throw new CannotAcquireLockException("deadlock", new SQLException("deadlock", "40001"));
                }
            });
            assertThat(third).isEqualTo(new Fired.Applied<>(Door.OPEN, Door.SHUT, 2));
            assertThat(runs).hasValue(3);
            assertThat(setup.notes()).isEqualTo(1);
            assertThat(setup.doors.history("d", 9)).hasSize(2);
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    void inACallersTransactionItIsPartOfThat(Databases kind, boolean jpa) {
        try (StateSetup setup = new StateSetup(kind, jpa)) {
            setup.door("d");
            assertThatThrownBy(() -> setup.transaction.executeWithoutResult(status -> {
                        assertThat(setup.doors.fire("d", open("1"))).isInstanceOf(Fired.Applied.class);
                        throw new IllegalStateException("later");
                    }))
                    .hasMessage("later");
            assertThat(setup.doors.find("d").orElseThrow().version()).isZero();

            setup.transaction.executeWithoutResult(status -> {
                assertThat(setup.doors.fire("d", close("0"))).isInstanceOf(Fired.Illegal.class);
                assertThat(setup.doors.fire("d", open("1"))).isInstanceOf(Fired.Applied.class);
                assertThat(setup.doors.fire("d", open("1"))).isInstanceOf(Fired.AlreadyApplied.class);
                assertThatThrownBy(() -> setup.doors.fire("no door", open("1")))
                        .isInstanceOf(MissingEntityException.class);
                setup.note("the caller's");
            });
            assertThat(setup.notes()).isEqualTo(1);
            assertThat(setup.doors.history("d", 9)).hasSize(2);

            AtomicInteger runs = new AtomicInteger();
            assertThatThrownBy(() -> setup.transaction.executeWithoutResult(status -> {
                        setup.note("lost with the rest");
                        assertThatThrownBy(() -> setup.doors.fire("d", close("2"), firing -> {
                                    runs.incrementAndGet();
                                    throw new CannotAcquireLockException(
                                            "deadlock", new SQLException("deadlock", "40001"));
                                }))
                                .isInstanceOf(CannotAcquireLockException.class);
                    }))
                    .isInstanceOf(UnexpectedRollbackException.class);
            assertThat(runs).as("it is for the caller to begin again").hasValue(1);
            assertThat(setup.notes()).isEqualTo(1);
            assertThat(setup.doors.find("d").orElseThrow().version()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    void aRowThatJpaHasNotWrittenYetIsThere(Databases kind) {
        try (StateSetup setup = new StateSetup(kind, true)) {
            setup.transaction.executeWithoutResult(status -> {
                setup.entities.persist(new StateSetup.DoorRow("new"));
                assertThat(setup.doors.fire("new", open("1"))).isInstanceOf(Fired.Applied.class);
                StateSetup.DoorRow row = setup.entities.find(StateSetup.DoorRow.class, "new");
                setup.entities.refresh(row);
                assertThat(row.state).isEqualTo("OPEN");
            });
            assertThat(setup.doors.find("new").orElseThrow().state()).isEqualTo(Door.OPEN);
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    void whatIsPublishedIsHeardOnceTheTransitionIsCommitted(Databases kind, boolean jpa) {
        try (StateSetup setup = new StateSetup(kind, jpa)) {
            setup.door("d");
            StateService<Door, Push> doors = setup.doors.publishing(setup.context);
            doors.fire("d", open("1"), firing -> assertThat(setup.heard).isEmpty());
            assertThat(setup.heard).hasSize(1);
            assertThat(setup.heard.get(0))
                    .isEqualTo(new StateChanged("door", "d", Push.OPEN, "1", Door.SHUT, Door.OPEN, 1))
                    .hasToString("StateChanged[door SHUT --OPEN--> OPEN]");
            doors.fire("d", open("1"));
            doors.fire("d", open("2"));
            assertThatThrownBy(() -> setup.transaction.executeWithoutResult(status -> {
                        doors.fire("d", close("3"));
                        throw new IllegalStateException("later");
                    }))
                    .hasMessage("later");
            assertThat(setup.heard).as("repeated, illegal, rolled back").hasSize(1);
            setup.transaction.executeWithoutResult(status -> {
                doors.fire("d", close("3"));
                assertThat(setup.heard).hasSize(1);
            });
            assertThat(setup.heard).hasSize(2);
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    void inTheCallbacksOfAnEndedTransactionItWantsANewOne(Databases kind, boolean jpa) {
        try (StateSetup setup = new StateSetup(kind, jpa)) {
            setup.door("d");
            List<String> refused = new ArrayList<>();
            setup.transaction.executeWithoutResult(status -> {
                setup.doors.fire("d", open("1"));
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        assertThatThrownBy(() -> setup.doors.fire("d", close("2")))
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("REQUIRES_NEW");
                        refused.add("after commit");
                    }

                    @Override
                    public void afterCompletion(int outcome) {
                        assertThatThrownBy(() -> setup.doors.fire("d", close("2")))
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("REQUIRES_NEW");
                        refused.add("after completion");
                    }
                });
            });
            assertThat(refused).containsExactly("after commit", "after completion");
            assertThat(setup.doors.find("d").orElseThrow().version()).isEqualTo(1);
            assertThat(setup.doors.fire("d", close("2"))).isInstanceOf(Fired.Applied.class);
        }
    }
}
