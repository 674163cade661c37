package io.oncegate.benchmarks;

import java.io.PrintStream;
import java.util.List;
import java.util.function.Consumer;

/**
 * Measures every path of Oncegate against the bare one, and prints the ratios as one table. How, is said in
 * docs/benchmarks.md.
 */
public final class Ratios {
    private Ratios() {}

    /** Measures, and prints the table to standard output; progress goes to standard error. */
    public static void main(String[] arguments) {
        Plan plan;
        try {
            plan = Plan.parse(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        PrintStream out = System.out;
        out.printf(
                "Java %s, %d processors; slots of %d ms in the order ABBA, %d pairs after %d for warming up%n",
                Runtime.version(),
                Runtime.getRuntime().availableProcessors(),
                plan.slot().toMillis(),
                plan.pairs(),
                plan.warmUp());
        int status = 1;
        try {
            Table table = measure(plan, out::println, System.err::println);
            out.println();
            out.print(table);
            status = table.failures().isEmpty() ? 0 : 1;
        } catch (Exception e) {
            e.printStackTrace(System.err);
        }
        // Servers and pools have threads of their own, which would keep the process alive.
        System.exit(status);
    }

    /**
     * Measures.
     *
     * @param about is told what runs
     * @param progress is told each line when it is there
     */
    static Table measure(Plan plan, Consumer<String> about, Consumer<String> progress) throws Exception {
        Table table = new Table();
        for (String name : plan.groups()) {
            try (Group group = Group.open(name, plan)) {
                about.accept("- " + group.about());
                List<Row> rows = group.rows();
                for (int i = 0; i < rows.size(); i++) {
                    if (plan.wants(rows.get(i))) {
                        progress.accept(measure(group, i, plan, table));
                    }
                }
            }
        }
        return table;
    }

    /** Measures the row of this number into the table; what is told of it. */
    static String measure(Group group, int number, Plan plan, Table table) throws InterruptedException {
        Row row = group.rows().get(number);
        try {
            RoundTrips counter = group.roundTrips();
            String trips = counter == null ? "" : counter.of(number);
            group.clean();
            Measured measured = Slots.run(row, group.plan(plan), group.serverCpu());
            group.check();
            Table.Line line = new Table.Line(row.known(known(row.known(), group.note())), measured, trips);
            table.add(line);
            return Table.text(line);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            table.fail(row, e);
            return row.path() + " failed: " + e;
        }
    }

    private static String known(String before, String note) {
        return before.isEmpty() || note.isEmpty() ? before + note : before + "; " + note;
    }
}
