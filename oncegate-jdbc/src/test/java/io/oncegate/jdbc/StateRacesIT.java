package io.oncegate.jdbc;

import static io.oncegate.jdbc.StateScene.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.spi.TransactionDeadException;
import io.oncegate.core.state.Decision;
import io.oncegate.core.state.Fired;
import io.oncegate.jdbc.StateScene.Event;
import io.oncegate.jdbc.StateScene.Order;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Events in every order, and many at once. */
class StateRacesIT {
    private static final int ORDERS = Integer.getInteger("oncegate.jdbc.orders", 200);

    static Stream<TestSetup> kinds() {
        return TestSetup.KINDS.stream();
    }

    private static List<List<Event>> permutations(List<Event> events) {
        if (events.isEmpty()) {
            return List.of(List.of());
        }
        List<List<Event>> all = new ArrayList<>();
        for (Event first : events) {
            List<Event> rest = new ArrayList<>(events);
            rest.remove(first);
            for (List<Event> tail : permutations(rest)) {
                List<Event> one = new ArrayList<>(List.of(first));
                one.addAll(tail);
                all.add(one);
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName("C59: every order of the events, with duplicates, ends in the same state and never moves back")
    void lateEventsNeverMoveAnOrderBack(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            Random random = new Random(59);
            int number = 0;
            for (List<Event> order : permutations(List.of(Event.AUTHORISED, Event.PAID, Event.FAILED, Event.SHIPPED))) {
                String key = "o" + number++;
                scene.order(key);
                List<Event> deliveries = new ArrayList<>();
                order.forEach(event -> deliveries.addAll(List.of(event, event)));
                List<Event> again = new ArrayList<>(order);
                Collections.shuffle(again, random);
                deliveries.addAll(again);
                Order before = Order.NEW;
                for (Event event : deliveries) {
                    Fired<Order, Event> fired = scene.orders.fire(key, event(event, "id of " + event));
                    Order now = scene.state(key).state();
                    assertThat(now)
                            .as("%s after %s of %s", now, event, deliveries)
                            .isGreaterThanOrEqualTo(before);
                    assertThat(fired instanceof Fired.Applied<Order, Event> applied ? applied.to() : before)
                            .isEqualTo(now);
                    before = now;
                }
                assertThat(before).as("%s", deliveries).isEqualTo(Order.SHIPPED);
                List<StateHistory.Entry> history = scene.orders.history(key, 100);
                assertThat(history).as("each event once, applied or refused").hasSize(4);
                assertThat(scene.open.businessRows(key + " PAID")).isEqualTo(1);
                assertThat(scene.open.businessRows(key + " SHIPPED")).isEqualTo(1);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.oncegate.jdbc.StateScene#meetings")
    @DisplayName("C60: two channels pay each of many orders at once; one transition, one side effect, no exception")
    void twoChannelsDoTheSameTransition(TestSetup setup, int isolation) throws Exception {
        try (StateScene scene = new StateScene(setup, 2, isolation)) {
            int orders = isolation == Connection.TRANSACTION_READ_COMMITTED ? ORDERS : ORDERS / 4;
            try (Connection connection = scene.pool.getConnection();
                    var insert = connection.prepareStatement("INSERT INTO orders VALUES (?, 'PAYING', 0)")) {
                connection.setAutoCommit(false);
                for (int i = 0; i < orders; i++) {
                    insert.setString(1, "o" + i);
                    insert.addBatch();
                }
                insert.executeBatch();
                connection.commit();
            }
            List<List<Fired<Order, Event>>> answers = Threads.together(2, thread -> {
                List<Fired<Order, Event>> own = new ArrayList<>();
                for (int i = 0; i < orders; i++) {
                    // For every other order both channels know the payment's number.
                    own.add(scene.orders.fire(
                            "o" + i, event(Event.PAID, i % 2 == 0 ? "payment" : "channel " + thread)));
                }
                return own;
            });
            for (int i = 0; i < orders; i++) {
                List<Fired<Order, Event>> both =
                        List.of(answers.get(0).get(i), answers.get(1).get(i));
                assertThat(both).filteredOn(Fired.Applied.class::isInstance).hasSize(1);
                Fired<Order, Event> loser = both.get(both.get(0) instanceof Fired.Applied ? 1 : 0);
                assertThat(loser)
                        .isEqualTo(
                                i % 2 == 0
                                        ? new Fired.AlreadyApplied<>(Order.PAYING, Order.PAID, 1)
                                        : new Fired.Illegal<>(
                                                Order.PAID, 1, StateScene.MACHINE.allowed(Order.PAID), true, false));
            }
            assertThat(scene.open.number("SELECT COUNT(*) FROM business_row")).isEqualTo(orders);
            assertThat(scene.open.number("SELECT COUNT(DISTINCT name) FROM business_row"))
                    .isEqualTo(orders);
            assertThat(scene.open.number("SELECT COUNT(*) FROM orders WHERE status = 'PAID' AND version = 1"))
                    .isEqualTo(orders);
        }
    }

    /** What the history has to be answered with: the pure decision, and a map of what was applied. */
    private static final class Oracle {
        private final Map<String, Fired<Order, Event>> applied = new HashMap<>();
        private Order state = Order.NEW;
        private long version;

        Fired<Order, Event> fire(Event event, String id) {
            Fired<Order, Event> first = applied.get(id);
            if (first instanceof Fired.Applied<Order, Event> one) {
                return new Fired.AlreadyApplied<>(one.from(), one.to(), one.version());
            }
            Decision<Order, Event> decision = StateScene.MACHINE.decide(state, event, t -> true);
            if (decision instanceof Decision.Illegal<Order, Event> no) {
                return new Fired.Illegal<>(state, version, no.allowed(), no.alreadyThere(), no.guarded());
            }
            Order to = ((Decision.Legal<Order, Event>) decision).transition().to();
            Fired<Order, Event> answer = new Fired.Applied<>(state, to, ++version);
            state = to;
            applied.put(id, answer);
            return answer;
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aStormOfRandomEventsIsAnsweredAsThePureDecisionSays(TestSetup setup) {
        try (StateScene scene = new StateScene(setup)) {
            long seed = new Random().nextLong();
            Random random = new Random(seed);
            List<Oracle> oracles = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                scene.order("o" + i);
                oracles.add(new Oracle());
            }
            for (int step = 0; step < 150; step++) {
                int order = random.nextInt(6);
                Event event = Event.values()[random.nextInt(Event.values().length)];
                String id = event + " " + random.nextInt(2);
                assertThat(scene.orders.fire("o" + order, event(event, id)))
                        .as("seed %s, step %s", seed, step)
                        .isEqualTo(oracles.get(order).fire(event, id));
            }
            for (int i = 0; i < 6; i++) {
                assertThat(scene.state("o" + i))
                        .isEqualTo(new RowState<>(oracles.get(i).state, oracles.get(i).version));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.oncegate.jdbc.StateScene#meetings")
    void aStormFromManyThreadsLeavesAHistoryThatThePureDecisionAgreesWith(TestSetup setup, int isolation)
            throws Exception {
        try (StateScene scene = new StateScene(setup, 6, isolation)) {
            scene.order("a");
            scene.order("b");
            List<List<Fired<Order, Event>>> answers = Threads.together(6, thread -> {
                Random random = new Random(thread);
                List<Fired<Order, Event>> own = new ArrayList<>();
                for (int step = 0; step < 15; step++) {
                    Event event = Event.values()[random.nextInt(Event.values().length)];
                    String key = random.nextBoolean() ? "a" : "b";
                    own.add(scene.orders.fire(key, event(event, event + " " + random.nextInt(2))));
                }
                return own;
            });
            long applied = answers.stream()
                    .flatMap(List::stream)
                    .filter(Fired.Applied.class::isInstance)
                    .count();
            long inHistory = 0;
            for (String key : List.of("a", "b")) {
                Oracle oracle = new Oracle();
                List<StateHistory.Entry> all = scene.orders.history(key, 100).stream()
                        .filter(StateHistory.Entry::applied)
                        .sorted((one, other) -> Long.compare(one.version(), other.version()))
                        .toList();
                for (StateHistory.Entry entry : all) {
                    assertThat(oracle.fire(Event.valueOf(entry.event()), entry.eventId()))
                            .isEqualTo(new Fired.Applied<>(
                                    Order.valueOf(entry.from()), Order.valueOf(entry.to()), entry.version()));
                }
                assertThat(scene.state(key)).isEqualTo(new RowState<>(oracle.state, oracle.version));
                inHistory += all.size();
            }
            assertThat(inHistory).isEqualTo(applied);
        }
    }

    /** A caller whose snapshot is older than the winner's commit. */
    @ParameterizedTest
    @MethodSource("io.oncegate.jdbc.StateScene#meetings")
    void aCallerWithAnOldSnapshotIsAnsweredByTheNewestRowOrTold(TestSetup setup, int isolation) throws Exception {
        try (StateScene scene = new StateScene(setup, 2, isolation)) {
            scene.order("o");
            try (Connection caller = scene.transaction(isolation)) {
                TestSetup.insertBusiness(caller, "the caller's");
                assertThat(TestSetup.number(caller, "SELECT COUNT(*) FROM orders WHERE status = 'PAID'"))
                        .isZero();
                assertThat(scene.orders.fire("o", event(Event.PAID, "p"))).isInstanceOf(Fired.Applied.class);
                boolean tells = isolation == Connection.TRANSACTION_REPEATABLE_READ && !setup.mysqlFamily();
                if (tells) {
                    // such a transaction can never see the newest row; all that is left to it is to be repeated
                    assertThatThrownBy(() -> scene.orders.fire(caller, "o", event(Event.PAID, "p")))
                            .isInstanceOf(TransactionDeadException.class);
                } else {
                    assertThat(scene.orders.fire(caller, "o", event(Event.PAID, "p")))
                            .isEqualTo(new Fired.AlreadyApplied<>(Order.NEW, Order.PAID, 1));
                    assertThat(scene.orders.fire(caller, "o", event(Event.SHIPPED, "s")))
                            .isEqualTo(new Fired.Applied<>(Order.PAID, Order.SHIPPED, 2));
                }
                TestSetup.insertBusiness(caller, "the caller's");
                caller.commit();
            }
            assertThat(scene.open.businessRows("the caller's")).isEqualTo(2);
            assertThat(scene.open.businessRows("o PAID")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MARIADB_BY_MYSQL_DRIVER"})
    void theNewestRowIsFoundUnderSnapshotIsolationToo(TestSetup setup) throws Exception {
        int isolation = Connection.TRANSACTION_REPEATABLE_READ;
        try (StateScene scene = new StateScene(setup, 2, isolation)) {
            scene.order("o");
            try (Connection caller = scene.transaction(isolation)) {
                try (Statement statement = caller.createStatement()) {
                    statement.execute("SET SESSION innodb_snapshot_isolation = ON");
                }
                assertThat(TestSetup.number(caller, "SELECT COUNT(*) FROM orders WHERE status = 'PAID'"))
                        .isZero();
                scene.orders.fire("o", event(Event.PAID, "p"));
                assertThat(scene.orders.fire(caller, "o", event(Event.PAID, "p")))
                        .isInstanceOf(Fired.AlreadyApplied.class);
                assertThat(scene.orders.fire(caller, "o", event(Event.SHIPPED, "s")))
                        .isEqualTo(new Fired.Applied<>(Order.PAID, Order.SHIPPED, 2));
                caller.commit();
            }
        }
    }
}
