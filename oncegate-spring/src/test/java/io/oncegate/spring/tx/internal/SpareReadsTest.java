package io.oncegate.spring.tx.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.jdbc.RetryPolicy;
import io.oncegate.jdbc.SpareRead;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class SpareReadsTest {
    @Test
    @DisplayName("a spare connection that is not to be had is worth a fresh transaction, which sees the row")
    void anExhaustedPoolIsWorthAFreshTransaction() {
        SpareReads reads = new SpareReads(turns(), transactions(new Exhausted()));

        Throwable thrown = catchThrowable(() -> reads.read(() -> "row"));

        assertThat(thrown).isInstanceOf(StoreUnavailableException.class);
        assertThat(RetryPolicy.mayRepeat(thrown)).isTrue();
    }

    @Test
    void aReadThatFailsIsNoReasonToTryAgain() {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:spare-reads");
        SpareReads reads = new SpareReads(turns(), transactions(source));

        Throwable thrown = catchThrowable(() -> reads.read(() -> {
            throw new IllegalStateException("more than one row");
        }));

        assertThat(thrown).isInstanceOf(IllegalStateException.class);
        assertThat(RetryPolicy.mayRepeat(thrown)).isFalse();
    }

    private static SpareRead turns() {
        return new SpareRead("jdbc", Duration.ofSeconds(1));
    }

    private static TransactionTemplate transactions(javax.sql.DataSource source) {
        return new TransactionTemplate(new DataSourceTransactionManager(source));
    }

    /** A pool that has no connection left. */
    private static final class Exhausted extends AbstractDataSource {
        @Override
        public java.sql.Connection getConnection() throws SQLTransientConnectionException {
            throw new SQLTransientConnectionException("no connection within the time-out");
        }

        @Override
        public java.sql.Connection getConnection(String user, String password) throws SQLTransientConnectionException {
            return getConnection();
        }
    }
}
