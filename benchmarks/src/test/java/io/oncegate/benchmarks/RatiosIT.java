package io.oncegate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Runs every row on its real backend for a few milliseconds. What they come to is nobody's business here. */
class RatiosIT {
    private static final List<String> OF_A_DATABASE = List.of(
            "noise: unguarded to itself",
            "no result, by hand to unguarded",
            "no result, engine to unguarded",
            "no result, store to by hand",
            "no result, engine to by hand",
            "no result, engine to by hand without clean-up index",
            "300 B result, by hand to unguarded",
            "300 B result, engine to unguarded",
            "300 B result, store to by hand",
            "300 B result, engine to by hand",
            "300 B result recorded late, by hand to unguarded",
            "300 B result recorded late, engine to unguarded",
            "300 B result recorded late, engine to by hand",
            "insert-first, new key, store to INSERT",
            "claim + settle with 300 B, engine to INSERT + UPDATE",
            "insert-first, duplicate, store to SELECT",
            "insert-first, duplicate, engine to SELECT");
    private static final List<String> OF_DATA = List.of(
            "noise: INSERT + COMMIT to itself",
            "insert-first, new key, to INSERT",
            "look-up then INSERT, new key, to INSERT",
            "insert-first, new key, to look-up then INSERT",
            "insert-first, duplicate, to SELECT",
            "order inserted first in the transaction, to unguarded",
            "INSERT, catch, SELECT, duplicate, to SELECT",
            "Camel, new key, to INSERT + COMMIT",
            "Camel, duplicate, to SELECT + COMMIT",
            "Spring Integration, new key, to INSERT + COMMIT",
            "Spring Integration, duplicate, to SELECT + COMMIT",
            "no result, Camel in the transaction to unguarded",
            "no result, Spring Integration in the transaction to unguarded");
    private static final List<String> OF_A_LADDER = List.of(
            "replay to GET",
            "replay with near cache to GET",
            "replay to a replay in same-transaction mode",
            "first run with 300 B result to unguarded",
            "first run with 300 B result to same-transaction mode");
    private static final List<String> OF_A_WEB_FRAMEWORK = List.of(
            "noise: no gate to itself",
            "memory, first run to no gate",
            "memory, replay to no gate",
            "Redis, first run to no gate",
            "Redis, replay to no gate");

    @Test
    void everyRowIsMeasuredAndBothItsSidesWork() throws Exception {
        List<String> about = new ArrayList<>();
        Table table = Ratios.measure(Plan.quick(), about::add, line -> {});
        assertThat(table.failures()).isEmpty();
        assertThat(about).hasSize(12);
        assertThat(about.get(2)).contains("fsync on", "synchronous_commit on");
        assertThat(about.get(3)).contains("innodb_flush_log_at_trx_commit 1", "sync_binlog 1");
        assertThat(table.lines()).extracting(line -> line.row().path()).containsAll(paths());
        assertThat(table.lines()).allSatisfy(line -> {
            assertThat(line.measured().bareCount()).isPositive();
            assertThat(line.measured().guardedCount()).isPositive();
            assertThat(line.measured().ratio().median()).isPositive();
        });
        assertThat(table.toString().lines())
                .hasSize(table.lines().size() + 2)
                .allMatch(line -> line.startsWith("| ") || line.startsWith("|---"));
        assertThat(trips(table, "Redis, store: first run to two SETs")).isEqualTo("2 → 2");
        assertThat(trips(table, "Redis, store: replay to GET")).isEqualTo("1 → 1");
        assertThat(trips(table, "Redis locks, engine: acquire + release to SET NX + DEL"))
                .isEqualTo("2 → 2");
        assertThat(trips(table, "PostgreSQL locks, engine: acquire + release to two UPDATEs"))
                .isEqualTo("2 → 2");
        for (String database : List.of("PostgreSQL, ", "MariaDB, ")) {
            assertThat(trips(table, database + "insert-first, new key, store to INSERT"))
                    .isEqualTo("1 → 1");
        }
        for (String data : List.of("PostgreSQL data, ", "MariaDB data, ")) {
            assertThat(trips(table, data + "insert-first, new key, to INSERT")).isEqualTo("1 → 1");
            assertThat(trips(table, data + "insert-first, duplicate, to SELECT"))
                    .isEqualTo("1 → 1");
            assertThat(trips(table, data + "order inserted first in the transaction, to unguarded"))
                    .isEqualTo("3 → 3");
        }
        for (String ladder : List.of("PostgreSQL ladder, ", "MariaDB ladder, ")) {
            assertThat(trips(table, ladder + "replay to GET")).isEqualTo("1 → 1");
            assertThat(trips(table, ladder + "replay with near cache to GET")).isEqualTo("1 → 0");
            assertThat(trips(table, ladder + "first run with 300 B result to unguarded"))
                    .isEqualTo("3 → 7");
        }
    }

    @Test
    void growthAndPurgeAreMeasuredByName() throws Exception {
        Plan plan = Plan.parse("--quick", "--only=postgresql-growth,mariadb-growth,postgresql-purge,mariadb-purge");
        Table table = Ratios.measure(plan, line -> {}, line -> {});
        assertThat(table.failures()).isEmpty();
        assertThat(table.lines())
                .hasSize(14)
                .allSatisfy(line -> assertThat(line.measured().guardedCount()).isPositive());
        assertThat(table.lines())
                .filteredOn(line -> line.row().path().contains("are purged"))
                .hasSize(4)
                .allSatisfy(line -> assertThat(line.row().known()).contains("records purged meanwhile, no deadlock"));
    }

    @Test
    void anOptionThatIsNotThereIsExplained() {
        assertThatThrownBy(() -> Plan.parse("--fast"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no option --fast")
                .hasMessageContaining("--quick");
        assertThat(Plan.parse("--rows=1000000,10000000").records()).containsExactly(1_000_000, 10_000_000);
        assertThatThrownBy(() -> Plan.parse("--rows=many")).hasMessageContaining("a number of 1 or more");
        assertThatThrownBy(() -> Plan.parse("--pairs=0")).hasMessageContaining("a number of 1 or more");
    }

    private static List<String> paths() {
        Stream<String> databases = Stream.of("PostgreSQL", "MariaDB")
                .flatMap(database -> Stream.of(
                                all(database + ", ", OF_A_DATABASE),
                                all(database + " data, ", OF_DATA),
                                all(database + " ladder, ", OF_A_LADDER))
                        .flatMap(Function.identity()));
        Stream<String> others = Stream.of(
                "memory, store: claim + settle to putIfAbsent + get + remove",
                "memory, store: replay to get",
                "memory, engine: whole first call to putIfAbsent + get + remove",
                "memory, engine: whole replay to get",
                "Redis, store: first run to two SETs",
                "Redis, engine: first call to two SETs",
                "Redis, store: replay to GET",
                "Redis, engine: replay to GET",
                "Redis locks, store: acquire + release to SET NX + DEL",
                "Redis locks, engine: acquire + release to SET NX + DEL",
                "Redis locks, ShedLock: the same",
                "Redis locks, Spring Integration: the same",
                "Redis locks, Redisson RLock: the same",
                "Redis locks, lock4j: the same",
                "Redis locks, engine: 2 waiters hand one lock on, to Redisson RLock",
                "PostgreSQL locks, engine: acquire + release to two UPDATEs",
                "PostgreSQL locks, ShedLock: the same",
                "PostgreSQL locks, Spring Integration: the same",
                "MariaDB locks, engine: acquire + release to two UPDATEs",
                "MariaDB locks, ShedLock: the same",
                "MariaDB locks, Spring Integration: the same",
                "HTTP, MVC, Redis, replay token, issued and used to no gate",
                "HTTP, MVC, Redis, strict token, issued and used to no gate");
        Stream<String> web =
                Stream.of("HTTP, MVC, ", "HTTP, WebFlux, ").flatMap(framework -> all(framework, OF_A_WEB_FRAMEWORK));
        return Stream.of(others, databases, web).flatMap(Function.identity()).toList();
    }

    private static Stream<String> all(String prefix, List<String> paths) {
        return paths.stream().map(path -> prefix + path);
    }

    private static String trips(Table table, String path) {
        return table.lines().stream()
                .filter(line -> line.row().path().equals(path))
                .findFirst()
                .orElseThrow()
                .roundTrips();
    }
}
