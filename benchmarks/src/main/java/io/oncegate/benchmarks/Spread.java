package io.oncegate.benchmarks;

import java.util.Arrays;

/** The median of some numbers, and their quartiles. */
record Spread(double lower, double median, double upper) {
    /** Of nothing. */
    static final Spread NONE = new Spread(Double.NaN, Double.NaN, Double.NaN);

    static Spread of(double[] numbers) {
        double[] sorted = numbers.clone();
        Arrays.sort(sorted);
        return new Spread(at(sorted, 0.25), at(sorted, 0.5), at(sorted, 0.75));
    }

    private static double at(double[] sorted, double part) {
        double place = part * (sorted.length - 1);
        int below = (int) place;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
    }
}
