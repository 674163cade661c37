package io.oncegate.benchmarks;

/**
 * What a comparison came to.
 *
 * @param bareOps operations of the bare side in a second, the median of its slots
 * @param guardedOps the same of ours
 * @param ratio ours to bare, pair by pair
 * @param p50Ratio the median latency, ours to bare, pair by pair; NaN where latencies are not told
 * @param p99Ratio ours to bare, over all slots; NaN where latencies are not told
 * @param cpuRatio the server's CPU time for one operation, ours to bare; NaN where it is not known
 * @param bareCount how many operations the bare side has done in all
 * @param guardedCount the same of ours
 */
record Measured(
        double bareOps,
        double guardedOps,
        Spread ratio,
        Spread p50Ratio,
        double p99Ratio,
        double cpuRatio,
        long bareCount,
        long guardedCount) {}
