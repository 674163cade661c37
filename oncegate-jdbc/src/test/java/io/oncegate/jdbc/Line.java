package io.oncegate.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.testsupport.TcpFault;
import java.net.URI;
import java.time.Duration;

/** A pool whose line can be broken. */
final class Line implements AutoCloseable {
    final TcpFault fault;
    final HikariDataSource pool;

    Line(TestSetup.Open open) {
        this(open, 1);
    }

    Line(TestSetup.Open open, int size) {
        URI uri = URI.create(open.database.url().substring("jdbc:".length()));
        fault = TcpFault.to(uri.getHost(), uri.getPort());
        pool = TestSetup.Open.pool(
                open.database,
                open.database.url().replace(":" + uri.getPort() + "/", ":" + fault.port() + "/") + open.setup.options,
                size,
                open.setup.autoCommit,
                Duration.ofSeconds(5));
    }

    @Override
    public void close() {
        pool.close();
        fault.close();
    }
}
