package io.oncegate.boot;

import io.oncegate.jdbc.JdbcSchema;
import io.oncegate.jdbc.StateHistory;
import java.time.Duration;
import javax.sql.DataSource;

/** The history of state machines in the application's database, whose table has been checked. */
final class JdbcStates {
    private final DataSource source;
    private final StateHistory history;

    JdbcStates(DataSource source, StateHistory history, JdbcSettings settings) {
        JdbcRecords.prepare(JdbcSchema.states(source, history.table()), settings.createSchema());
        this.source = source;
        this.history = history;
    }

    /** Removes events of this age from now on. */
    RecordCleaner cleaner(Duration age, PurgeSettings purge) {
        return new RecordCleaner(limit -> history.purge(source, age, limit) == limit, purge);
    }
}
