package io.oncegate.spring.tx;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.testsupport.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Many threads that call at once, and what their pool has to look like afterwards. */
final class Callers {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    interface Work<T> {
        T run(int number) throws Exception;
    }

    private Callers() {}

    static <T> List<T> together(int count, Work<T> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            CyclicBarrier start = new CyclicBarrier(count);
            List<Future<T>> futures = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int number = i;
                futures.add(threads.submit(() -> {
                    await(start);
                    return work.run(number);
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get(LIMIT.toSeconds(), TimeUnit.SECONDS));
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    static void await(CyclicBarrier barrier) {
        try {
            barrier.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What the work returned, or the message of such a failure; any other failure is thrown. */
    static String failureOf(Supplier<String> work, Class<? extends RuntimeException> expected) {
        try {
            return work.get();
        } catch (RuntimeException e) {
            if (expected.isInstance(e)) {
                return String.valueOf(e.getMessage());
            }
            throw e;
        }
    }

    /** All connections are back in the pool, and all of them can be had and used. */
    static void assertWhole(HikariDataSource pool) throws SQLException {
        Await.until(
                "all connections are back",
                LIMIT,
                () -> pool.getHikariPoolMXBean().getActiveConnections() == 0
                        && pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 0);
        List<Connection> all = new ArrayList<>();
        try {
            for (int i = 0; i < pool.getMaximumPoolSize(); i++) {
                Connection connection = pool.getConnection();
                all.add(connection);
                assertThat(connection.getAutoCommit()).isTrue();
                assertThat(connection.createStatement().execute("SELECT 1")).isTrue();
            }
        } finally {
            for (Connection connection : all) {
                connection.close();
            }
        }
    }
}
