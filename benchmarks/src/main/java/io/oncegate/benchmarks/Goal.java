package io.oncegate.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a row should reach; NaN where nothing is asked.
 *
 * @param ratio the least ratio of throughput
 * @param p99 the largest ratio of the 99th percentiles of latency
 * @param cpu the largest ratio of the server's CPU time for one operation
 */
record Goal(double ratio, double p99, double cpu) {
    static final Goal NONE = new Goal(Double.NaN, Double.NaN, Double.NaN);

    static Goal ratio(double least) {
        return new Goal(least, Double.NaN, Double.NaN);
    }

    /** What was missed, and by how much. */
    String verdict(Measured measured) {
        if (equals(NONE)) {
            return "";
        }
        List<String> missed = new ArrayList<>();
        if (measured.ratio().median() < ratio) {
            missed.add(text("ratio by %.2f", ratio - measured.ratio().median()));
        }
        if (measured.p99Ratio() > p99) {
            missed.add(text("p99 by %.2f", measured.p99Ratio() - p99));
        }
        if (measured.cpuRatio() > cpu) {
            missed.add(text("CPU by %.1f", measured.cpuRatio() - cpu));
        }
        return missed.isEmpty() ? "met" : "**missed**: " + String.join(", ", missed);
    }

    @Override
    public String toString() {
        List<String> parts = new ArrayList<>();
        if (!Double.isNaN(ratio)) {
            parts.add(text("%.2f", ratio));
        }
        if (!Double.isNaN(p99)) {
            parts.add(text("p99 ≤ %.2f", p99));
        }
        if (!Double.isNaN(cpu)) {
            parts.add(text("CPU ≤ %.0f", cpu));
        }
        return String.join(", ", parts);
    }

    private static String text(String format, double number) {
        return String.format(Locale.ROOT, format, number);
    }
}
