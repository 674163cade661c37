package io.oncegate.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The result as a table in Markdown. Not thread-safe. */
final class Table {
    /**
     * One line of it.
     *
     * @param roundTrips of both sides, or empty
     */
    record Line(Row row, Measured measured, String roundTrips) {}

    private static final String HEAD = """
            | path, ours to bare | threads | bare op/s | ours op/s | ratio (quartiles) | p50 (quartiles) | p99 | server CPU | round trips | goal | verdict | by hand, peers |
            |---|---|---|---|---|---|---|---|---|---|---|---|
            """;

    private final List<Line> lines = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    void add(Line line) {
        lines.add(line);
    }

    /** A row that could not be measured. */
    void fail(Row row, Exception failure) {
        StringBuilder text = new StringBuilder(row.path());
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            text.append(": ").append(cause);
        }
        failures.add(text.toString());
    }

    List<String> failures() {
        return List.copyOf(failures);
    }

    List<Line> lines() {
        return List.copyOf(lines);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(HEAD);
        lines.forEach(line -> text.append(text(line)).append('\n'));
        failures.forEach(
                failure -> text.append("\nNot measured: ").append(failure).append('\n'));
        return text.toString();
    }

    static String text(Line line) {
        Row row = line.row();
        Measured measured = line.measured();
        return "| "
                + String.join(
                        " | ",
                        row.path(),
                        Integer.toString(row.threads()),
                        operations(measured.bareOps()),
                        operations(measured.guardedOps()),
                        spread("%.2f (%.2f–%.2f)", measured.ratio()),
                        spread("%.2f × (%.2f–%.2f)", measured.p50Ratio()),
                        times(measured.p99Ratio()),
                        times(measured.cpuRatio()),
                        line.roundTrips(),
                        row.goal().toString(),
                        row.goal().verdict(measured),
                        row.known())
                + " |";
    }

    private static String operations(double perSecond) {
        return String.format(Locale.ROOT, "%,.0f", perSecond);
    }

    private static String spread(String format, Spread spread) {
        return Double.isNaN(spread.median())
                ? ""
                : String.format(Locale.ROOT, format, spread.median(), spread.lower(), spread.upper());
    }

    private static String times(double ratio) {
        return Double.isNaN(ratio) ? "" : String.format(Locale.ROOT, "%.2f ×", ratio);
    }
}
