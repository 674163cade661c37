package io.oncegate.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is to be measured, and how long.
 *
 * @param threads how many threads run the rows that are not for one thread
 * @param slot how long one side runs before the other has its turn
 * @param warmUp how many pairs of slots are run before it counts
 * @param pairs how many pairs of slots count
 * @param prefilled how many settled keys the rows for repetitions choose from
 * @param groups the backends
 * @param only a part of the names of the rows to measure, null for all
 * @param records how many records the groups for growth and purge begin with; empty for what they are meant for
 */
record Plan(
        int threads,
        Duration slot,
        int warmUp,
        int pairs,
        int prefilled,
        List<String> groups,
        @Nullable String only,
        List<Integer> records) {
    private static final String USAGE = """
            Options: --quick               a few milliseconds for each row, to see that all of them run
                     --only=a,b            backends: memory, redis, postgresql, mariadb, mariadb-mysql-driver, http,
                                           redis-locks, postgresql-locks, mariadb-locks, postgresql-data,
                                           mariadb-data, postgresql-ladder, mariadb-ladder, postgresql-purge,
                                           mariadb-purge, postgresql-growth, mariadb-growth
                     --row=text            rows with this text in their names
                     --rows=1000000,10000000  how many records growth and purge begin with
                     --pairs=61 --warm-up=20 --slot=50 --threads=8""";

    /** What the published figures are made with. */
    static Plan full() {
        return new Plan(8, Duration.ofMillis(50), 20, 61, 256, Group.DEFAULT, null, List.of());
    }

    /** Sees that every row runs; its figures mean nothing. */
    static Plan quick() {
        return new Plan(2, Duration.ofMillis(5), 1, 2, 4, Group.DEFAULT, null, List.of(40_000));
    }

    /** Reads the command line. */
    static Plan parse(String... arguments) {
        Plan plan = List.of(arguments).contains("--quick") ? quick() : full();
        for (String argument : arguments) {
            String[] option = argument.split("=", 2);
            String value = option.length == 2 ? option[1] : "";
            plan = switch (option[0]) {
                case "--quick" -> plan;
                case "--only" -> plan.with(List.of(value.split(",")), plan.only);
                case "--row" -> plan.with(plan.groups, value.toLowerCase(Locale.ROOT));
                case "--rows" ->
                    plan.with(Stream.of(value.split(",")).map(Plan::number).toList());
                case "--pairs" -> plan.with(plan.threads, plan.slot, plan.warmUp, number(value));
                case "--warm-up" -> plan.with(plan.threads, plan.slot, number(value), plan.pairs);
                case "--slot" -> plan.with(plan.threads, Duration.ofMillis(number(value)), plan.warmUp, plan.pairs);
                case "--threads" -> plan.with(number(value), plan.slot, plan.warmUp, plan.pairs);
                default -> throw new IllegalArgumentException("There is no option " + option[0] + ".\n" + USAGE);
            };
        }
        return plan;
    }

    private static int number(String text) {
        if (!text.matches("[1-9][0-9]{0,7}")) {
            throw new IllegalArgumentException("Give a number of 1 or more, not \"" + text + "\".\n" + USAGE);
        }
        return Integer.parseInt(text);
    }

    private Plan with(int newThreads, Duration newSlot, int newWarmUp, int newPairs) {
        return new Plan(newThreads, newSlot, newWarmUp, newPairs, prefilled, groups, only, records);
    }

    private Plan with(List<String> newGroups, @Nullable String newOnly) {
        return new Plan(threads, slot, warmUp, pairs, prefilled, newGroups, newOnly, records);
    }

    private Plan with(List<Integer> newRecords) {
        return new Plan(threads, slot, warmUp, pairs, prefilled, groups, only, newRecords);
    }

    /** The same with slots that are so many times as long, and a third of the pairs. */
    Plan longer(int times) {
        return with(threads, slot.multipliedBy(times), Math.max(1, warmUp / 3), Math.max(2, pairs / 3));
    }

    /** The records to begin with, unless these are asked for. */
    List<Integer> records(Integer... usual) {
        return records.isEmpty() ? List.of(usual) : records;
    }

    boolean wants(Row row) {
        return only == null || row.path().toLowerCase(Locale.ROOT).contains(only);
    }
}
