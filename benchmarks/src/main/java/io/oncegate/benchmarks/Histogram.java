package io.oncegate.benchmarks;

/** Counts latencies in buckets of at most 1.6 % width, without keeping them. Used by one thread at a time. */
final class Histogram {
    private static final int BITS = 6;
    private static final int FINE = 1 << BITS;

    private final long[] counts = new long[(Long.SIZE - BITS) * FINE];
    private long total;

    void add(long nanos) {
        counts[bucket(nanos)]++;
        total++;
    }

    void addAll(Histogram other) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] += other.counts[i];
        }
        total += other.total;
    }

    /** The latency in nanoseconds that this part of all does not exceed, NaN if there is none. */
    double quantile(double part) {
        long left = (long) Math.ceil(part * total);
        for (int i = 0; i < counts.length && total > 0; i++) {
            left -= counts[i];
            if (left <= 0) {
                return value(i);
            }
        }
        return Double.NaN;
    }

    private static int bucket(long nanos) {
        if (nanos < FINE) {
            return (int) Math.max(0, nanos);
        }
        int shift = Long.SIZE - Long.numberOfLeadingZeros(nanos) - BITS - 1;
        return (shift + 1) * FINE + (int) (nanos >>> shift) - FINE;
    }

    private static double value(int bucket) {
        if (bucket < FINE) {
            return bucket;
        }
        int shift = bucket / FINE - 1;
        return (double) (((long) bucket % FINE + FINE) << shift);
    }
}
