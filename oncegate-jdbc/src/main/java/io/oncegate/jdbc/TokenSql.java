package io.oncegate.jdbc;

import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.TokenStore;
import io.oncegate.core.token.TokenStore.IssueAnswer;
import io.oncegate.core.token.WhenFull;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** The statements of {@link JdbcTokenStore} on one table of one kind of database. Thread-safe. */
final class TokenSql {
    private static final byte[] NONE = {};
    private static final String SAME = "id = ? AND subject = ? AND purpose = ?";

    private final String lock;
    private final String insert;
    private final String dropExpired;
    private final String look;
    private final String firstUnused;
    private final String firstUsed;
    private final String delete;
    private final String consume;
    private final String consumed;
    private final String giveBack;
    private final String due;

    TokenSql(Dialect dialect) {
        String condition = dialect.condition();
        String prefix = dialect.prefix();
        this.lock = dialect.sql(prefix + "UPDATE {table} SET issues = issues + 1, expires_at = CASE WHEN expires_at >"
                + " {now} + ? THEN expires_at ELSE {now} + ? END WHERE " + condition + "id = ?");
        this.insert = dialect.sql(
                "INSERT INTO {table} (id, subject, purpose, attempt, expires_at, issues) VALUES (?, ?, ?, NULL, ?, 0)");
        this.dropExpired = dialect.sql("DELETE FROM {table} WHERE subject = ? AND expires_at <= ?");
        this.look = dialect.sql("SELECT COUNT(*), COUNT(attempt), {now} FROM {table} WHERE subject = ?");
        this.firstUnused = dialect.sql(
                "SELECT id FROM {table} WHERE subject = ? AND attempt IS NULL ORDER BY expires_at, id LIMIT ?");
        this.firstUsed = dialect.sql(
                "SELECT id FROM {table} WHERE subject = ? AND attempt IS NOT NULL ORDER BY expires_at, id LIMIT ?");
        this.delete = dialect.words().delete().replace("{table}", dialect.table);
        this.consume = dialect.sql(prefix + "UPDATE {table} SET attempt = ? WHERE " + condition + SAME
                + " AND attempt IS NULL AND expires_at > {now}");
        this.consumed =
                dialect.sql("SELECT COUNT(*) FROM {table} WHERE " + SAME + " AND attempt = ? AND expires_at > {now}");
        this.giveBack = dialect.sql(prefix + "UPDATE {table} SET attempt = NULL WHERE " + condition + SAME
                + " AND attempt = ? AND expires_at > {now}");
        this.due = "SELECT id FROM " + dialect.table + " WHERE expires_at <= "
                + dialect.words().statementNow() + " ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED";
    }

    /** All of an issuing, in a transaction that the caller ends. */
    IssueAnswer issue(Session session, TokenRef token, long ttl, int cap, WhenFull whenFull) throws SQLException {
        byte[] subject = token.subject();
        lockSubject(session, subject, ttl);
        long now = look(session, subject).now();
        try (PreparedStatement statement = session.prepare(dropExpired)) {
            new Binder(statement).bytes(subject).number(now);
            statement.executeUpdate();
        }
        Look found = look(session, subject);
        if (found.unused() >= cap) {
            if (whenFull == WhenFull.REFUSE) {
                return new IssueAnswer.Full();
            }
            drop(session, first(session, firstUnused, subject, found.unused() - cap + 1), true);
        }
        if (found.used() > TokenStore.MAX_USED) {
            drop(session, first(session, firstUsed, subject, found.used() - TokenStore.MAX_USED), false);
        }
        long expiresAt = found.now() + ttl;
        insert(session, token.idBytes(), subject, token.purpose(), expiresAt);
        return new IssueAnswer.Kept(expiresAt);
    }

    /** Lets one issuing for a subject go at a time, until its transaction ends. */
    private void lockSubject(Session session, byte[] subject, long ttl) throws SQLException {
        try (PreparedStatement statement = session.prepare(lock)) {
            new Binder(statement).number(ttl).number(ttl).bytes(subject);
            if (statement.executeUpdate() == 1) {
                return;
            }
        }
        try {
            // The end comes with the next issuing; until then a purge takes it away and another one is made.
            insert(session, subject, NONE, NONE, 0);
        } catch (SQLException e) {
            if (SqlTrouble.of(e) == SqlTrouble.DUPLICATE) {
                throw new SQLException("the subject's first token is being issued twice at once", "40001", 0, e);
            }
            throw e;
        }
    }

    private void insert(Session session, byte[] id, byte[] subject, byte[] purpose, long expiresAt)
            throws SQLException {
        try (PreparedStatement statement = session.prepare(insert)) {
            new Binder(statement).bytes(id).bytes(subject).bytes(purpose).number(expiresAt);
            statement.executeUpdate();
        }
    }

    private record Look(int unused, int used, long now) {}

    private Look look(Session session, byte[] subject) throws SQLException {
        try (PreparedStatement statement = session.prepare(look)) {
            new Binder(statement).bytes(subject);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new Look(row.getInt(1) - row.getInt(2), row.getInt(2), row.getLong(3));
            }
        }
    }

    private static List<byte[]> first(Session session, String sql, byte[] subject, int count) throws SQLException {
        try (PreparedStatement statement = session.prepare(sql)) {
            new Binder(statement).bytes(subject).number(count);
            return KeyedRows.ids(statement);
        }
    }

    /** Deletes rows by their primary keys, those that are still unused alone if asked to. */
    private void drop(Session session, List<byte[]> ids, boolean stillUnused) throws SQLException {
        KeyedRows.delete(session, delete, ids, stillUnused ? " AND attempt IS NULL" : "");
    }

    /** Whether the token was there to be consumed. */
    boolean consume(Session session, TokenRef token, AttemptId attempt) throws SQLException {
        try (PreparedStatement statement = session.prepare(consume)) {
            same(new Binder(statement).bytes(attempt.toBytes()), token);
            return statement.executeUpdate() == 1;
        }
    }

    /** Whether it is this attempt that has consumed the token. */
    boolean isConsumedBy(Session session, TokenRef token, AttemptId attempt) throws SQLException {
        try (PreparedStatement statement = session.prepare(consumed)) {
            same(new Binder(statement), token).bytes(attempt.toBytes());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getInt(1) == 1;
            }
        }
    }

    boolean giveBack(Session session, TokenRef token, AttemptId attempt) throws SQLException {
        try (PreparedStatement statement = session.prepare(giveBack)) {
            same(new Binder(statement), token).bytes(attempt.toBytes());
            return statement.executeUpdate() == 1;
        }
    }

    private static Binder same(Binder binder, TokenRef token) throws SQLException {
        return binder.bytes(token.idBytes()).bytes(token.subject()).bytes(token.purpose());
    }

    /** Deletes rows that have expired and that nobody else holds locked, in a transaction that the caller ends. */
    int purge(Session session, int limit) throws SQLException {
        List<byte[]> ids;
        try (PreparedStatement statement = session.prepare(due)) {
            statement.setInt(1, limit);
            ids = KeyedRows.ids(statement);
        }
        drop(session, ids, false);
        return ids.size();
    }
}
