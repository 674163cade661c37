package io.oncegate.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.oncegate.core.spi.ClaimAnswer.Granted;
import io.oncegate.jdbc.JdbcRecordStore;
import io.oncegate.testsupport.Databases;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What a claim of a new key costs in a large table, against a small one. Tables are filled when their first row begins. */
final class GrowthGroup implements Group {
    private static final int SMALL = 10_000;

    private final MeasuredDatabase database;
    private final HikariDataSource source;
    private final Set<String> tables = new HashSet<>();
    private final List<Row> rows = new ArrayList<>();

    GrowthGroup(Databases kind, Plan plan) {
        database = new MeasuredDatabase(kind);
        source = database.direct(plan.threads(), true);
        String prefix = database.name() + " growth, ";
        Side smallToItself = claims(KeyForm.TIME_ORDERED, SMALL);
        rows.add(Row.of(prefix + "noise: 10,000 records to themselves", plan.threads(), smallToItself, smallToItself));
        for (int size : plan.records(1_000_000, 10_000_000)) {
            String records = String.format(Locale.ROOT, "%,d records", size);
            for (KeyForm form : KeyForm.values()) {
                rows.add(Row.of(
                                prefix + form.title() + ", claim with " + records + " to 10,000",
                                plan.threads(),
                                claims(form, SMALL),
                                claims(form, size))
                        .goal(Goal.ratio(0.90))
                        .known("with 5 M: time-ordered 0.89 MariaDB, 1.21 PostgreSQL; digest 0.37, 0.36 to 0.87"));
            }
            rows.add(Row.of(
                    prefix + "claim with " + records + ", digest to time-ordered keys",
                    plan.threads(),
                    claims(KeyForm.TIME_ORDERED, size),
                    claims(KeyForm.DIGEST, size)));
        }
    }

    /** Claims of new keys of this form in a table of this size. */
    private Side claims(KeyForm form, int size) {
        return thread -> {
            String table = table(form, size);
            JdbcRecordStore store = JdbcRecordStore.builder(source).table(table).build();
            return () -> Orders.expect(Granted.class, store.claim(Orders.request(form.next())));
        };
    }

    private String table(KeyForm form, int size) throws SQLException {
        String table = name(form, size);
        if (tables.add(table)) {
            Filling.create(database, table, form, size, Orders.SETTLED_WITHOUT_RESULT, Duration.ZERO);
        }
        return table;
    }

    private static String name(KeyForm form, int size) {
        return "growth_" + form.name().toLowerCase(Locale.ROOT) + "_" + size;
    }

    @Override
    public String about() throws SQLException {
        return database.name() + " growth: " + new BareSql(database.kind()).settings(database.database()) + ", "
                + cache();
    }

    private String cache() throws SQLException {
        return database.isPostgres()
                ? "shared_buffers of "
                        + database.number("SELECT pg_size_bytes(current_setting('shared_buffers'))") / (1 << 20) + " MB"
                : "innodb_buffer_pool_size of " + database.number("SELECT @@innodb_buffer_pool_size") / (1 << 20)
                        + " MB";
    }

    @Override
    public List<Row> rows() {
        return List.copyOf(rows);
    }

    /** Small tables begin small; large ones hardly grow by what one row adds. */
    @Override
    public void clean() throws SQLException {
        for (KeyForm form : KeyForm.values()) {
            String small = name(form, SMALL);
            if (tables.remove(small)) {
                database.run("DROP TABLE " + small);
            }
        }
    }

    @Override
    public void close() {
        database.close();
    }
}
