package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.StoreUnavailableException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SpareReadTest {
    @Test
    void oneCallerAtATimeHasASpareConnection() throws Exception {
        SpareRead spare = new SpareRead("jdbc:orders", Duration.ofMillis(50));
        CountDownLatch reads = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<String> first = thread.submit(() -> spare.read(() -> {
                reads.countDown();
                return await(ends);
            }));
            reads.await();
            assertThatThrownBy(() -> spare.read(() -> "a second connection"))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("one connection more")
                    .satisfies(failure ->
                            assertThat(RetryPolicy.mayRepeat(failure)).isTrue());
            ends.countDown();
            assertThat(first.get(1, TimeUnit.MINUTES)).isEqualTo("row");
            assertThat(spare.read(() -> "next")).isEqualTo("next");
        } finally {
            ends.countDown();
            thread.shutdownNow();
        }
    }

    private static String await(CountDownLatch ends) throws SQLException {
        try {
            ends.await();
            return "row";
        } catch (InterruptedException e) {
            throw new SQLException(e);
        }
    }

    @Test
    void aTurnIsGivenBackWhateverTheReadFailsWith() {
        SpareRead spare = new SpareRead("jdbc:orders", Duration.ofMillis(50));
        assertThatThrownBy(() -> spare.read(() -> {
                    throw new IllegalStateException("of the reader");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> spare.read(() -> {
                    throw new SQLException("no connection");
                }))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(spare.read(() -> "next")).isEqualTo("next");
    }

    @Test
    void anInterruptEndsTheWaitWithTheFlagSet() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> new SpareRead("jdbc:orders", Duration.ofMinutes(1)).read(() -> "row"))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(Thread.interrupted()).isTrue();
    }
}
