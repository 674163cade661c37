package io.oncegate.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the two sides of a row by the same threads in slots that take turns, in the order ABBA: whatever slows the machine
 * down for a while slows both down. A pair is two slots side by side, and gives one ratio; the median of all pairs counts.
 *
 * <p>A slot's throughput is the sum of what each thread did, divided by the time from the slot's common start to the end
 * of that thread's last operation: an operation that is under way when the slot ends is neither lost nor free. Used once.
 */
final class Slots {
    private static final long PATIENCE_SECONDS = 120;

    private final Row row;
    private final Plan plan;
    private final @Nullable LongSupplier serverCpu;
    private final CyclicBarrier barrier;
    private final List<Worker> workers = new ArrayList<>();
    private final Totals bare = new Totals();
    private final Totals guarded = new Totals();

    private volatile long start;
    private volatile boolean guardedTurn;
    private volatile boolean over;

    private Slots(Row row, Plan plan, @Nullable LongSupplier serverCpu) {
        this.row = row;
        this.plan = plan;
        this.serverCpu = serverCpu;
        this.barrier = new CyclicBarrier(row.threads() + 1, () -> start = System.nanoTime());
    }

    /**
     * Measures a row.
     *
     * @param serverCpu tells the CPU time of the server in microseconds, or null where nobody can
     */
    static Measured run(Row row, Plan plan, @Nullable LongSupplier serverCpu) throws Exception {
        return new Slots(row, plan, serverCpu).run();
    }

    /** What a side has done in all its slots that count. */
    private static final class Totals {
        final List<Double> rates = new ArrayList<>();
        final Histogram latencies = new Histogram();
        long count;
        long cpuMicros;

        double median() {
            return Spread.of(numbers(rates)).median();
        }
    }

    /**
     * One slot of one side.
     *
     * @param rate operations in a second
     * @param p50 the median latency in nanoseconds
     */
    private record Slot(double rate, double p50) {}

    private Measured run() throws Exception {
        for (int i = 0; i < row.threads(); i++) {
            workers.add(new Worker(row.bare().of(i), row.guarded().of(i)));
        }
        for (int i = 0; i < workers.size(); i++) {
            Thread thread = new Thread(workers.get(i), "slots-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        List<Double> ratios = new ArrayList<>();
        List<Double> medians = new ArrayList<>();
        try {
            for (int pair = -plan.warmUp(); pair < plan.pairs(); pair++) {
                boolean counts = pair >= 0;
                boolean guardedFirst = Math.floorMod(pair, 2) == 1;
                Slot first = slot(guardedFirst, counts);
                Slot second = slot(!guardedFirst, counts);
                if (counts) {
                    Slot ours = guardedFirst ? first : second;
                    Slot plain = guardedFirst ? second : first;
                    ratios.add(ours.rate() / plain.rate());
                    medians.add(ours.p50() / plain.p50());
                }
            }
        } finally {
            over = true;
            barrier.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        return new Measured(
                bare.median(),
                guarded.median(),
                Spread.of(numbers(ratios)),
                row.batch() > 1 ? Spread.NONE : Spread.of(numbers(medians)),
                row.batch() > 1 ? Double.NaN : guarded.latencies.quantile(0.99) / bare.latencies.quantile(0.99),
                serverCpu == null
                        ? Double.NaN
                        : ((double) guarded.cpuMicros / guarded.count) / ((double) bare.cpuMicros / bare.count),
                bare.count,
                guarded.count);
    }

    /** Runs one side for one slot. */
    private Slot slot(boolean isGuarded, boolean counts) throws Exception {
        guardedTurn = isGuarded;
        Side side = isGuarded ? row.guarded() : row.bare();
        side.begin();
        long cpu = serverCpu == null ? 0 : serverCpu.getAsLong();
        barrier.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        long began = start;
        barrier.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        side.end();
        Totals totals = isGuarded ? guarded : bare;
        if (counts && serverCpu != null) {
            totals.cpuMicros += serverCpu.getAsLong() - cpu;
        }
        double rate = 0;
        Histogram latencies = new Histogram();
        for (Worker worker : workers) {
            Exception failure = worker.failure;
            if (failure != null) {
                throw failure;
            }
            long operations = worker.done * row.batch();
            rate += operations * 1e9 / (worker.end - began);
            latencies.addAll(worker.latencies);
            if (counts) {
                totals.count += operations;
            }
        }
        if (counts) {
            totals.rates.add(rate);
            totals.latencies.addAll(latencies);
        }
        return new Slot(rate, latencies.quantile(0.5));
    }

    /** One thread. What it writes is read by the conductor behind the barrier. */
    private final class Worker implements Runnable {
        private final Body bareBody;
        private final Body guardedBody;
        private Histogram latencies = new Histogram();
        private long done;
        private long end;
        private @Nullable Exception failure;

        Worker(Body bareBody, Body guardedBody) {
            this.bareBody = bareBody;
            this.guardedBody = guardedBody;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    barrier.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
                    if (over) {
                        return;
                    }
                    work(
                            guardedTurn ? guardedBody : bareBody,
                            start + plan.slot().toNanos());
                    barrier.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
                }
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void work(Body body, long deadline) {
            latencies = new Histogram();
            done = 0;
            long before = System.nanoTime();
            try {
                do {
                    body.run();
                    done++;
                    long now = System.nanoTime();
                    latencies.add(now - before);
                    before = now;
                } while (before - deadline < 0);
            } catch (Exception e) {
                failure = e;
            }
            end = System.nanoTime();
        }
    }

    private static double[] numbers(List<Double> list) {
        return list.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
