package io.oncegate.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Runs the same work on many threads that begin together. */
final class Threads {
    interface Work<T> {
        T run(int number) throws Exception;
    }

    private Threads() {}

    static <T> List<T> together(int count, Work<T> work) throws Exception {
        return together(count, Duration.ofMinutes(2), work);
    }

    static <T> List<T> together(int count, Duration limit, Work<T> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            CyclicBarrier start = new CyclicBarrier(count);
            List<Future<T>> futures = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int number = i;
                Callable<T> task = () -> {
                    start.await();
                    return work.run(number);
                };
                futures.add(threads.submit(task));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get(limit.toMillis(), TimeUnit.MILLISECONDS));
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }
}
