package io.oncegate.jdbc;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.StoredRecord;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The statements of one kind of database on one table. A statement that changes a row names what it expects to find
 * there, and its count is looked at; a statement that writes a time takes it from the database's clock as it writes.
 * Thread-safe.
 */
abstract class Dialect {
    /** The condition under which a claim may still act, but for its id, fence and attempt. */
    private static final String HELD = "(state = 1 OR (state = 4 AND lease_end <> 0)) AND expires_at > ";

    private static final String CLAIM = "id = ? AND fence = ? AND attempt = ?";

    /** What most databases take for {@link Words#delete}. */
    static final String DELETE = "DELETE FROM {table} WHERE id";

    private static final long NEVER = StoredRecord.NEVER;

    final String table;
    /** The schema resource. */
    final String resource;

    private final String now;
    private final String claim;
    private final String prefix;
    private final String rewrite;
    private final String settle;
    private final String settleUnknown;
    private final String renew;
    private final String free;
    private final String complete;
    private final String read;
    private final PurgeSql purge;
    private final Words words;
    private volatile @Nullable TokenSql tokens;
    private volatile @Nullable LockSql locks;
    private volatile @Nullable LockPurge lockPurge;
    private volatile @Nullable FenceSql fences;
    private volatile @Nullable HistorySql history;

    /**
     * How this kind of database says things.
     *
     * @param resource the schema resource
     * @param now the present time in microseconds since 1970, read anew wherever the expression stands
     * @param statementNow the same as of the statement's beginning, so that an index can be used with it
     * @param fence what makes a new fence of the expression {@code %s}
     * @param rewriting what makes a statement that hands back the new fence of the UPDATE {@code %s}
     * @param prefix what stands before an UPDATE to bound its wait for a lock, or nothing
     * @param condition the same as a condition that is always true
     * @param delete deletes the rows whose id is in a list that follows, by the primary key and by nothing else
     */
    record Words(
            String resource,
            String now,
            String statementNow,
            String fence,
            String rewriting,
            String prefix,
            String condition,
            String delete) {}

    /**
     * Statements that insert a row or write over it, as templates with named parameters. They hand back the fence that they
     * wrote, and are run by {@link #fence}.
     *
     * @param acquire of {@link LockSql}
     * @param raise of {@link FenceSql}
     */
    record Upserts(String acquire, String raise) {}

    /** Prepares the statements. */
    Dialect(String table, Words words) {
        this.words = words;
        this.resource = words.resource();
        this.table = table;
        this.now = words.now();
        this.prefix = words.prefix();
        this.claim = words.condition() + CLAIM;
        String times = "retention = ?, expires_at = {now} * ? + ?, result = ?, result_until = {now} * ? + ?,"
                + " due_at = LEAST({now} * ? + ?, GREATEST({now} + ?, ?))";
        this.rewrite = rewriting(sql("UPDATE {table} SET fence = "
                + newFence("GREATEST(fence + 1, {now})")
                + ", operation = ?, state = ?, attempt = ?, fingerprint = ?, lease_end = {now} * ? + ?, "
                + times
                + " WHERE " + claim + " AND state = ? AND lease_end = ? AND expires_at = ?"
                + " AND (state = 0 OR expires_at <= {now} OR (state IN (1, 4) AND lease_end <= {now}))"));
        this.settle = sql(
                "UPDATE {table} SET state = ?, lease_end = 0, " + times + " WHERE " + claim + " AND " + HELD + "{now}");
        this.settleUnknown = sql("UPDATE {table} SET state = 4, lease_end = 0, retention = ?, expires_at = " + NEVER
                + ", result_until = {now} * ? + ?, due_at = NULL WHERE " + claim + " AND " + HELD + "{now}");
        this.renew = sql("UPDATE {table} SET lease_end = {now} + ?,"
                + " expires_at = CASE WHEN state = 4 THEN " + NEVER + " ELSE {now} + ? + retention END,"
                + " due_at = CASE WHEN state = 4 THEN NULL ELSE GREATEST({now} + ? + retention, ?) END WHERE " + claim
                + " AND " + HELD + "{now}");
        this.free = "UPDATE {table} SET state = 0, fingerprint = ?, lease_end = 0, expires_at = {now}, result = NULL,"
                + " result_until = 0, due_at = GREATEST({now}, ?) WHERE " + claim + " AND ";
        this.complete = sql("UPDATE {table} SET state = ?, lease_end = 0, " + times + " WHERE " + CLAIM);
        this.read = sql("SELECT " + Found.COLUMNS + ", {now} FROM {table} WHERE id = ?");
        this.purge = new PurgeSql(table, now, words.statementNow(), words.delete());
    }

    /**
     * The dialect that this connection's database speaks.
     *
     * @param lockMillis how long a statement in auto-commit may wait for a lock; 0 where a wait is not to be bounded
     */
    static Dialect of(Connection connection, String table, long lockMillis) throws SQLException {
        return switch (DatabaseKind.of(connection)) {
            case POSTGRESQL -> new PostgresDialect(table, lockMillis);
            case H2 -> new H2Dialect(table);
            case MARIADB -> new MariaDbDialect(table, lockMillis);
            case MYSQL -> new MySqlDialect(table);
        };
    }

    /** Fills in table and clock. */
    final String sql(String template) {
        return template.replace("{table}", table).replace("{now}", now);
    }

    /**
     * The driver's own limit for each statement of a call that may take this long, in seconds: a little before the
     * network's, which costs the connection. 0 where it comes too soon, or where the statements carry a limit.
     */
    int querySeconds(long millis) {
        return (int) ((millis - 500) / 1000);
    }

    /** What stands before a statement to bound its wait for a lock. */
    final String prefix() {
        return prefix;
    }

    /** Inserts the row if there is none and the window is open, else reads it; in auto-commit. */
    abstract Found insertOrRead(Session session, Draft draft, Draft.@Nullable Window window) throws SQLException;

    /**
     * The same in a transaction that stays open afterwards, where another open transaction may hold the key.
     *
     * @param wait how long the database itself may wait for the other; it may wait shorter, and answer busy
     */
    abstract Found recordFirst(Session session, Draft draft, Draft.@Nullable Window window, Duration wait)
            throws SQLException;

    /**
     * Writes a new claim over the row, if that is still what it was and the database's clock agrees that it is over.
     *
     * @return the new fence, or -1 if the row has changed
     */
    abstract long rewrite(Session session, StoredRecord expected, Draft draft) throws SQLException;

    /** The statement of {@link #rewrite}. */
    final String rewriteSql() {
        return rewrite;
    }

    static void bindRewrite(PreparedStatement statement, StoredRecord expected, Draft draft) throws SQLException {
        draft.claimed(new Binder(statement), expected.fence())
                .bytes(draft.id().toBytes())
                .number(expected.fence())
                .bytes(expected.attempt().toBytes())
                .number(expected.state().code())
                .number(expected.leaseEnd())
                .number(expected.expiresAt());
    }

    /** Whether the claim was there to be settled. */
    final boolean settle(Session session, ClaimRef claim, Draft draft) throws SQLException {
        try (PreparedStatement statement = session.prepare(prefix + settle)) {
            draft.settled(new Binder(statement), claim.fence()).claim(claim);
            return statement.executeUpdate() == 1;
        }
    }

    /** Whether the claim was there to be settled as unknown; what the row remembers of it stays. */
    final boolean settleUnknown(Session session, ClaimRef claim, Draft draft) throws SQLException {
        try (PreparedStatement statement = session.prepare(prefix + settleUnknown)) {
            new Binder(statement)
                    .number(draft.record().retention())
                    .moment(draft.resultUntil())
                    .claim(claim);
            return statement.executeUpdate() == 1;
        }
    }

    /** Whether the claim was there to be renewed. */
    final boolean renew(Session session, ClaimRef claim, long lease, long margin) throws SQLException {
        try (PreparedStatement statement = session.prepare(prefix + renew)) {
            new Binder(statement)
                    .number(lease)
                    .number(lease)
                    .number(lease)
                    .number(claim.fence() + margin)
                    .claim(claim);
            return statement.executeUpdate() == 1;
        }
    }

    /** Whether the claim was there to be released. */
    final boolean release(Session session, ClaimRef claim, byte[] noFingerprint, long margin) throws SQLException {
        try (PreparedStatement statement = session.prepare(prefix + sql(free + HELD + "{now}"))) {
            new Binder(statement)
                    .bytes(noFingerprint)
                    .number(claim.fence() + margin)
                    .claim(claim);
            return statement.executeUpdate() == 1;
        }
    }

    /** Whether the row that this transaction has written was there to be freed, whatever its state. */
    final boolean free(Session session, ClaimRef claim, byte[] noFingerprint, long margin) throws SQLException {
        try (PreparedStatement statement = session.prepare(sql(free + "state <> 0"))) {
            new Binder(statement)
                    .bytes(noFingerprint)
                    .number(claim.fence() + margin)
                    .claim(claim);
            return statement.executeUpdate() == 1;
        }
    }

    /** Whether the row was still what it was, and could be freed. */
    final boolean forget(Session session, ClaimRef claim, StoredRecord expected, byte[] noFingerprint, long margin)
            throws SQLException {
        try (PreparedStatement statement =
                session.prepare(prefix + sql(free + "state = ? AND lease_end = ? AND lease_end <= {now}"))) {
            new Binder(statement)
                    .bytes(noFingerprint)
                    .number(claim.fence() + margin)
                    .claim(claim)
                    .number(expected.state().code())
                    .number(expected.leaseEnd());
            return statement.executeUpdate() == 1;
        }
    }

    /** Whether the row was still what it was, and could be marked as this. The clock has passed its new fence already. */
    final boolean mark(Session session, ClaimRef claim, StoredRecord expected, StoredRecord marked, long lease)
            throws SQLException {
        try (PreparedStatement statement = session.prepare(prefix
                + sql(
                        "UPDATE {table} SET result = CASE WHEN state = 4 OR state = 1 THEN result ELSE NULL END, state = 4,"
                                + " fence = ?, attempt = ?, lease_end = {now} + ?, expires_at = " + NEVER
                                + ", result_until = 0, due_at = NULL WHERE " + this.claim
                                + " AND state = ? AND lease_end = ? AND lease_end <= {now}"))) {
            new Binder(statement)
                    .number(marked.fence())
                    .bytes(marked.attempt().toBytes())
                    .number(lease)
                    .claim(claim)
                    .number(expected.state().code())
                    .number(expected.leaseEnd());
            return statement.executeUpdate() == 1;
        }
    }

    /** Whether the row that this transaction has written could be given its settlement. */
    final boolean complete(Session session, ClaimRef claim, Draft draft) throws SQLException {
        try (PreparedStatement statement = session.prepare(complete)) {
            draft.settled(new Binder(statement), claim.fence()).claim(claim);
            if (statement.executeUpdate() == 1) {
                return true;
            }
        }
        // A driver may count changed rows only, and this one may have been the same already.
        StoredRecord record = read(session, claim.id()).record();
        return record != null
                && record.heldBy(claim)
                && record.state() == draft.record().state()
                && Objects.equals(record.result(), draft.record().result());
    }

    /** Whether a settled row is there, whose answer does not depend on what its locker is about to do. */
    static boolean answers(Found found) {
        StoredRecord record = found.record();
        return record != null && record.state().settled() && !record.expired(found.now());
    }

    /** Reads the row and the clock. */
    final Found read(Session session, RecordId id) throws SQLException {
        return read(session, id, "");
    }

    /** The same with a locking clause. */
    final Found read(Session session, RecordId id, String locking) throws SQLException {
        try (PreparedStatement statement = session.prepare(read + locking)) {
            new Binder(statement).bytes(id.toBytes());
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Found.existing(row.getLong(11), Found.record(row, 1)) : noRow(session);
            }
        }
    }

    /** There is no row: what time is it? */
    private Found noRow(Session session) throws SQLException {
        try (PreparedStatement statement = session.prepare("SELECT " + now);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return Found.existing(row.getLong(1), null);
        }
    }

    /**
     * Whether the database has given the transaction up, so that its commit would be a rollback without a word. Costs no
     * round trip.
     */
    boolean givenUp(Connection connection) {
        return false;
    }

    /** Whether {@link #givenUp} knows; else a statement on a transaction that has ended begins another one without a word. */
    boolean tellsGivenUp() {
        return false;
    }

    /** What stands in front of a condition to bound the statement's wait for a lock; always true. */
    final String condition() {
        return words.condition();
    }

    /** How this kind of database says things. */
    final Words words() {
        return words;
    }

    /** The statements on a table of tokens, made when they are first needed. */
    final TokenSql tokens() {
        TokenSql known = tokens;
        if (known == null) {
            known = new TokenSql(this);
            tokens = known;
        }
        return known;
    }

    /** What this kind of database inserts or writes over with. */
    abstract Upserts upserts();

    /**
     * An INSERT that does nothing where a row with this id is there already, and is run by {@link #fence}: it hands back a
     * column whose value the INSERT gives as {@link #newFence}.
     */
    abstract String insertNew(String insert, String column);

    /** Runs a statement that hands back the fence that it wrote; 0 if it wrote none. */
    abstract long fence(Session session, NamedSql sql, Map<String, ?> values) throws SQLException;

    /**
     * The condition of an UPDATE on its one row, behind which other conditions are looked at once the row is locked; with what
     * bounds the wait for that.
     */
    String lockedRow(String condition) {
        return condition() + condition;
    }

    /** A statement, given what stands before it. */
    interface Prefixed<T> {
        T run(String prefix) throws SQLException;
    }

    /** Runs a statement that sees and locks the newest row, whatever snapshot the transaction has. */
    <T> T current(Prefixed<T> statement) throws SQLException {
        return statement.run("");
    }

    /** The same with the wait for the row bounded, where statements of this dialect are. */
    final <T> T bounded(Prefixed<T> statement) throws SQLException {
        return prefix.isEmpty() ? current(statement) : statement.run(prefix);
    }

    /** The expression of a fence that the statement is to hand back. */
    final String newFence(String expression) {
        return String.format(Locale.ROOT, words.fence(), expression);
    }

    /** The UPDATE as a statement that hands back its {@link #newFence}. */
    final String rewriting(String update) {
        return String.format(Locale.ROOT, words.rewriting(), update);
    }

    /** The statements on a table of locks, made when they are first needed. */
    final LockSql locks() {
        LockSql known = locks;
        if (known == null) {
            known = new LockSql(this);
            locks = known;
        }
        return known;
    }

    /** The statements of a purge of locks, made when they are first needed. */
    final LockPurge lockPurge() {
        LockPurge known = lockPurge;
        if (known == null) {
            known = new LockPurge(this);
            lockPurge = known;
        }
        return known;
    }

    /** The statements on a table of fences, made when they are first needed. */
    final FenceSql fences() {
        FenceSql known = fences;
        if (known == null) {
            known = new FenceSql(this);
            fences = known;
        }
        return known;
    }

    /** The statements on a history of state machines, made when they are first needed. */
    final HistorySql history() {
        HistorySql known = history;
        if (known == null) {
            known = new HistorySql(this);
            history = known;
        }
        return known;
    }

    /** The fence in the first column of the first row; 0 if there is none. */
    static long queriedFence(Session session, NamedSql sql, Map<String, ?> values) throws SQLException {
        try (PreparedStatement statement = session.prepare(sql.sql())) {
            sql.bind(statement, values);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    /** The statements of a sweep. */
    final PurgeSql purge() {
        return purge;
    }
}
