package io.oncegate.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The properties under {@code oncegate.jdbc}.
 *
 * @param createSchema whether missing tables are created at the start: for tests and samples, a migration tool does it
 *     otherwise
 * @param table the name of the table for records
 * @param timeout how long a call may take once it has a connection
 * @param purgeMargin how far the database's clock has to have passed a record before it may go
 */
public record JdbcSettings(
        boolean createSchema,
        @Nullable String table,
        @Nullable Duration timeout,
        @Nullable Duration purgeMargin) {}
