package io.oncegate.jdbc;

import io.oncegate.core.key.Fingerprint;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The statements on a history of state machines. Thread-safe. */
final class HistorySql {
    private final Dialect dialect;
    private final NamedSql insert;
    private final NamedSql overwrite;
    private final String find;
    private final String list;
    private final String old;
    private final String delete;

    HistorySql(Dialect dialect) {
        this.dialect = dialect;
        this.insert = NamedSql.of(dialect.sql(dialect.insertNew(
                "INSERT INTO {table} (id, entity, machine, entity_key, event_id, event_name, applied, from_state, to_state,"
                        + " version, content, attempt, refusals, fired_at) VALUES (:id, :entity, :machine, :key, :event,"
                        + " :name, :applied, :from, :to, :version, :content, :attempt, :refusals, "
                        + dialect.newFence("{now}") + ")",
                "fired_at")));
        this.overwrite = NamedSql.of(dialect.sql("UPDATE {table} SET event_name = :name, applied = :applied,"
                + " from_state = :from, to_state = :to, version = :version, content = :content, attempt = :attempt,"
                + " refusals = refusals + :refusals, fired_at = {now} WHERE id = :id AND applied = 0"));
        this.find = dialect.sql(
                "SELECT applied, event_name, from_state, to_state, version, content, attempt FROM {table} WHERE id = ?");
        this.list =
                dialect.sql("SELECT fired_at, event_name, event_id, applied, from_state, to_state, version, refusals"
                        + " FROM {table} WHERE entity = ? ORDER BY fired_at, version, id LIMIT ?");
        this.old = dialect.sql("SELECT id FROM {table} WHERE fired_at <= "
                + dialect.words().statementNow() + " - ? ORDER BY fired_at LIMIT ? FOR UPDATE SKIP LOCKED");
        this.delete = dialect.sql(dialect.words().delete());
    }

    /** An event as the history has it. */
    record Found(
            boolean applied, String event, String from, String to, long version, Fingerprint content, byte[] attempt) {}

    /**
     * An event as it is written.
     *
     */
    record Entry(
            byte[] id,
            byte[] entity,
            String machine,
            String key,
            String eventId,
            String event,
            boolean applied,
            String from,
            String to,
            long version,
            Fingerprint content,
            byte[] attempt) {
        private Map<String, Object> values() {
            Map<String, Object> values = new HashMap<>();
            values.put("id", id);
            values.put("entity", entity);
            values.put("machine", machine);
            values.put("key", key.getBytes(StandardCharsets.UTF_8));
            values.put("event", eventId.getBytes(StandardCharsets.UTF_8));
            values.put("name", event);
            values.put("applied", applied ? 1L : 0L);
            values.put("from", from);
            values.put("to", to);
            values.put("version", version);
            values.put("content", content.toBytes());
            values.put("attempt", attempt);
            values.put("refusals", applied ? 0L : 1L);
            return values;
        }
    }

    /** Whether there was no row of this event, and now is this one. */
    boolean insert(Session session, Entry entry) throws SQLException {
        Map<String, Object> values = entry.values();
        return dialect.bounded(prefix -> dialect.fence(session, insert.behind(prefix), values)) != 0;
    }

    boolean overwrite(Session session, Entry entry) throws SQLException {
        return dialect.current(prefix -> {
            NamedSql sql = overwrite.behind(prefix);
            try (PreparedStatement statement = session.prepare(sql.sql())) {
                sql.bind(statement, entry.values());
                return statement.executeUpdate() == 1;
            }
        });
    }

    /** The newest row of an event that is known to be there, locked. */
    @Nullable
    Found newest(Session session, byte[] id) throws SQLException {
        return dialect.current(prefix -> Optional.ofNullable(find(session, prefix + find + " FOR UPDATE", id)))
                .orElse(null);
    }

    /** The row of an event as the transaction sees it, or null. */
    @Nullable
    Found find(Session session, byte[] id) throws SQLException {
        return find(session, find, id);
    }

    private static @Nullable Found find(Session session, String sql, byte[] id) throws SQLException {
        try (PreparedStatement statement = session.prepare(sql)) {
            statement.setBytes(1, id);
            // Not executeQuery: a driver may not see the query behind a prefix.
            statement.execute();
            try (ResultSet row = statement.getResultSet()) {
                return row.next()
                        ? new Found(
                                row.getLong(1) == 1,
                                row.getString(2),
                                row.getString(3),
                                row.getString(4),
                                row.getLong(5),
                                Fingerprint.fromBytes(row.getBytes(6)),
                                row.getBytes(7))
                        : null;
            }
        }
    }

    /** The oldest events of a row that are still there. */
    List<StateHistory.Entry> list(Session session, byte[] entity, int limit) throws SQLException {
        List<StateHistory.Entry> entries = new ArrayList<>();
        try (PreparedStatement statement = session.prepare(list)) {
            statement.setBytes(1, entity);
            statement.setInt(2, limit);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    entries.add(new StateHistory.Entry(
                            Instant.EPOCH.plus(row.getLong(1), ChronoUnit.MICROS),
                            row.getString(2),
                            new String(row.getBytes(3), StandardCharsets.UTF_8),
                            row.getLong(4) == 1,
                            row.getString(5),
                            row.getString(6),
                            row.getLong(7),
                            row.getLong(8)));
                }
            }
        }
        return entries;
    }

    /** Deletes rows that are older than this and that nobody holds locked, in a transaction that the caller ends. */
    int purge(Session session, long micros, int limit) throws SQLException {
        return KeyedRows.purge(session, old, delete, micros, limit);
    }
}
