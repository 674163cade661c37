package io.oncegate.benchmarks;

import io.oncegate.core.spi.ClaimAnswer.Granted;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Settlement;
import io.oncegate.jdbc.JdbcRecordStore;
import io.oncegate.jdbc.JdbcSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * Fills a table of records with settled ones, within the database: the store writes one, and it is copied under other ids.
 *
 * <ol>
 *   <li>The copies go in by ascending ids, so that each page is visited once, in transactions of a bounded size.
 *   <li>Ids that begin with a birth time come in one go, which fills each page of the index: as it is when they come one by one.
 *   <li>Digests come in two goes, two thirds and then the third between them. So the pages are split and about three quarters
 *       full, as after inserts all over the place; full ones would be split by nearly every insert that is measured.
 *   <li>What the filling left to be written is written before anything is measured.
 * </ol>
 */
final class Filling {
    private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
    private static final int CHUNK = 250_000;
    private static final String REST = "operation, state, fence - %1$d, attempt, fingerprint, lease_end, retention,"
            + " expires_at - %1$d, result, CASE WHEN result IS NULL THEN 0 ELSE result_until - %1$d END";

    private final MeasuredDatabase database;
    private final String table;
    private final KeyForm form;
    private final int count;
    /** The first birth time, in milliseconds. */
    private final long first = System.currentTimeMillis() - DAY_MILLIS;

    private Filling(MeasuredDatabase database, String table, KeyForm form, int count) {
        this.database = database;
        this.table = table;
        this.form = form;
        this.count = count;
    }

    /**
     * Makes the table, with so many records.
     *
     * @param settled what the records hold
     * @param age how long ago they were written
     */
    static void create(
            MeasuredDatabase database, String table, KeyForm form, int count, Settlement settled, Duration age)
            throws SQLException {
        new Filling(database, table, form, count).create(settled, age.toMillis() * 1000);
    }

    private void create(Settlement settled, long age) throws SQLException {
        DataSource source = database.direct(1, true);
        JdbcSchema.of(source, table).create();
        settle(JdbcRecordStore.builder(source).table(table).build(), settled);
        try (Connection connection = database.database().connect();
                Statement statement = connection.createStatement()) {
            if (database.isPostgres()) {
                statement.execute("SET synchronous_commit = off");
            } else {
                statement.execute("SET sql_log_bin = 0");
            }
            statement.execute("CREATE TEMPORARY TABLE template AS SELECT * FROM " + table);
            statement.execute("DELETE FROM " + table);
            for (String condition : goes()) {
                for (int from = 0; from < count; from += CHUNK) {
                    statement.execute(copy(from, Math.min(count, from + CHUNK), age) + condition);
                }
            }
            for (String sql : settling()) {
                statement.execute(sql);
            }
        }
    }

    private static void settle(JdbcRecordStore store, Settlement settled) {
        ClaimRequest request = Orders.request(Keys.next());
        Granted granted = Orders.expect(Granted.class, store.claim(request));
        if (store.settle(new ClaimRef(request.id(), granted.fence(), request.attempt()), settled)
                != HolderAnswer.DONE) {
            throw new IllegalStateException("Not settled");
        }
    }

    private List<String> goes() {
        return switch (form) {
            case TIME_ORDERED -> List.of("");
            case DIGEST -> List.of(" WHERE n % 3 <> 2", " WHERE n % 3 = 2");
        };
    }

    /** Copies the template for each n; a later n is due later. */
    private String copy(int from, int to, long age) {
        String numbers = database.isPostgres()
                ? "(SELECT generate_series(" + from + "::bigint, " + (to - 1) + ") AS n) numbers"
                : "(SELECT seq AS n FROM seq_" + from + "_to_" + (to - 1) + ") numbers";
        return "INSERT INTO " + table + " (id, operation, state, fence, attempt, fingerprint, lease_end, retention,"
                + " expires_at, result, result_until, due_at) SELECT " + id() + ", " + REST.formatted(age)
                + ", due_at - "
                + age + " + n FROM " + numbers + " CROSS JOIN template";
    }

    private String id() {
        String place = form == KeyForm.TIME_ORDERED
                ? first + " + n * " + DAY_MILLIS + (database.isPostgres() ? " / " : " DIV ") + count
                : "n * 4294967296 " + (database.isPostgres() ? "/ " : "DIV ") + count;
        int digits = form == KeyForm.TIME_ORDERED ? 12 : 8;
        int rest = form == KeyForm.TIME_ORDERED ? 32 : 28;
        return database.isPostgres()
                ? "decode(lpad(to_hex(" + place + "), " + digits + ", '0'), 'hex') || substr(sha256(int8send(n)), 1, "
                        + rest + ")"
                : "CONCAT(UNHEX(LPAD(HEX(" + place + "), " + digits + ", '0')), SUBSTR(UNHEX(SHA2(n, 256)), 1, " + rest
                        + "))";
    }

    private List<String> settling() {
        List<String> all = new ArrayList<>();
        if (database.isPostgres()) {
            all.add("VACUUM (ANALYZE) " + table);
            all.add("CHECKPOINT");
        } else {
            all.add("ANALYZE TABLE " + table);
            all.add("FLUSH TABLES " + table + " FOR EXPORT");
            all.add("UNLOCK TABLES");
        }
        return all;
    }
}
