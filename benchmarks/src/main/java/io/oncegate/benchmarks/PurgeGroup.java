package io.oncegate.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.spi.ClaimAnswer.Granted;
import io.oncegate.jdbc.JdbcRecordStore;
import io.oncegate.testsupport.Databases;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Claims while a backlog of expired records is purged, against claims beside the same backlog while nothing is purged. A
 * slot is long enough for many batches; the batch that is under way at its end is waited for before the next one begins.
 */
final class PurgeGroup implements Group {
    private static final String TABLE = "oncegate_record";
    private static final Duration LONG_AGO = Duration.ofDays(3);
    private static final int LONGER = 10;

    private final MeasuredDatabase database;
    private final Cleaner cleaner;
    private final List<Row> rows;
    private final long deadlocksBefore;
    private long deleted;
    private String note = "";

    PurgeGroup(Databases kind, Plan plan) throws SQLException {
        database = new MeasuredDatabase(kind);
        List<Integer> sizes = plan.records(2_000_000);
        int size = sizes.get(sizes.size() - 1);
        Filling.create(database, TABLE, KeyForm.TIME_ORDERED, size, Orders.SETTLED, LONG_AGO);
        deadlocksBefore = deadlocks();
        HikariDataSource source = database.direct(plan.threads() + 1, true);
        JdbcRecordStore store = JdbcRecordStore.of(source);
        cleaner = new Cleaner(store);
        Side idle = Side.all(() -> Orders.expect(Granted.class, store.claim(Orders.request(Keys.next()))));
        String prefix = database.name() + " purge, ";
        String path = String.format(Locale.ROOT, "claims while %,d expired records are purged to idle", size);
        Goal goal = new Goal(Double.NaN, 1.2, Double.NaN);
        rows = List.of(
                Row.of(prefix + "noise: claims to themselves", plan.threads(), idle, idle),
                Row.of(prefix + path, plan.threads(), idle, new Beside(idle)).goal(goal),
                Row.of(prefix + path, 1, idle, new Beside(idle)).goal(goal));
    }

    /** A side beside which the cleaner works. */
    private final class Beside implements Side {
        private final Side side;

        Beside(Side side) {
            this.side = side;
        }

        @Override
        public Body of(int thread) throws Exception {
            return side.of(thread);
        }

        @Override
        public void begin() {
            cleaner.resume();
        }

        @Override
        public void end() {
            cleaner.pause();
        }
    }

    @Override
    public Plan plan(Plan asked) {
        return asked.longer(LONGER);
    }

    @Override
    public String about() throws SQLException {
        return database.name() + " purge: " + new BareSql(database.kind()).settings(database.database())
                + "; batches of 500 and a rest after each for as long as it took, slots " + LONGER
                + " times as long, a third of the pairs";
    }

    @Override
    public List<Row> rows() {
        return rows;
    }

    @Override
    public void clean() {
        // the backlog is what is measured
    }

    @Override
    public void check() throws SQLException {
        cleaner.check();
        long deadlocks = deadlocks() - deadlocksBefore;
        if (deadlocks > 0) {
            throw new IllegalStateException("the database has ended " + deadlocks + " deadlocks");
        }
        long now = cleaner.deleted();
        note = now == deleted
                ? ""
                : String.format(Locale.ROOT, "%,d records purged meanwhile, no deadlock", now - deleted);
        deleted = now;
    }

    @Override
    public String note() {
        return note;
    }

    private long deadlocks() throws SQLException {
        return database.number(
                database.isPostgres()
                        ? "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
                        : "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS"
                                + " WHERE VARIABLE_NAME = 'INNODB_DEADLOCKS'");
    }

    @Override
    public void close() {
        cleaner.close();
        database.close();
    }
}
