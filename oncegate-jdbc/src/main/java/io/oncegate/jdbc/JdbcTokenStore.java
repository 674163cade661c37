package io.oncegate.jdbc;

import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.TokenStore;
import io.oncegate.core.token.WhenFull;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Keeps unused strict tokens in one table of PostgreSQL, MariaDB, MySQL or H2. Thread-safe.
 *
 * <ol>
 *   <li>A token is a row, by its id. Unused, it has no attempt.
 *   <li>Using it is one conditional update that writes the attempt, on condition that there is none and that the database's
 *       clock has not reached the end; its count says who was first. Only if that finds nothing, the row is read to see whether
 *       this attempt itself was there before.
 *   <li>Giving back is one conditional update that takes this attempt out again.
 *   <li>Issuing is one short transaction. It locks the subject's own row, so that of one subject's issuings one goes at a time;
 *       drops what has expired and what is over the cap; and inserts the token. Nobody else waits for that lock.
 *   <li>Rows that have expired are of no use to anybody, and stay until the subject's next issuing or a {@link #purge}.
 * </ol>
 *
 * <p>Connections, bounds and clocks are as with {@link JdbcRecordStore}.
 */
public final class JdbcTokenStore implements TokenStore {
    /** The table, unless said otherwise. */
    public static final String DEFAULT_TABLE = "oncegate_token";

    private final String name;
    private final JdbcCalls calls;

    private JdbcTokenStore(Builder builder) {
        Dialects dialects = builder.dialect == null
                ? new Dialects(
                        builder.table, JdbcCalls.lockWait(builder.timeout).toMillis())
                : new Dialects(builder.dialect);
        this.name = "jdbc:" + dialects.table();
        this.calls = new JdbcCalls(name, builder.source, builder.timeout, dialects);
    }

    /** A store on the table {@code oncegate_token}. */
    public static JdbcTokenStore of(DataSource source) {
        return builder(source).build();
    }

    /** Begins a store that takes its connections from this source. */
    public static Builder builder(DataSource source) {
        return new Builder(source);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public IssueAnswer issue(TokenRef token, Duration ttl, int cap, WhenFull whenFull) {
        long micros = RecordMachine.micros(ttl);
        return calls.transaction(
                "issuing a token", (session, dialect) -> dialect.tokens().issue(session, token, micros, cap, whenFull));
    }

    @Override
    public boolean consume(TokenRef token, AttemptId attempt) {
        return calls.call("using a token", (session, dialect) -> {
            if (dialect.tokens().consume(session, token, attempt)) {
                return true;
            }
            session.commit();
            return dialect.tokens().isConsumedBy(session, token, attempt);
        });
    }

    @Override
    public boolean giveBack(TokenRef token, AttemptId attempt) {
        return calls.call(
                "giving a token back", (session, dialect) -> dialect.tokens().giveBack(session, token, attempt));
    }

    /**
     * Deletes at most this many rows that have expired, in one short transaction. Rows that others hold locked are left for a
     * later batch. Several instances may purge at once.
     *
     * @return how many rows went; fewer than the limit means that nothing is left to do for now
     * @throws io.oncegate.core.error.StoreUnavailableException if there is no answer
     */
    public int purge(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("a purge takes 1 row or more at a time, not " + limit);
        }
        return calls.transaction(
                "a purge of tokens", (session, dialect) -> dialect.tokens().purge(session, limit));
    }

    /** Collects the settings of a store. Not thread-safe. */
    public static final class Builder {
        private final DataSource source;
        private String table = DEFAULT_TABLE;
        private @Nullable Dialect dialect;
        private Duration timeout = JdbcRecordStore.DEFAULT_TIMEOUT;

        private Builder(DataSource source) {
            this.source = source;
        }

        /**
         * The table's name, with its schema's name and a dot before it if need be.
         *
         * @throws IllegalArgumentException if it is no plain name
         */
        public Builder table(String table) {
            this.table = Dialects.requireTable(table);
            return this;
        }

        /** How long a call may take, once it has a connection; 100 ms or more. */
        public Builder timeout(Duration timeout) {
            this.timeout = JdbcRecordStore.Builder.requireTimeout(timeout);
            return this;
        }

        /** Takes this dialect for the database's. */
        Builder dialect(Dialect dialect) {
            this.dialect = dialect;
            return this;
        }

        /** The store. The database is not asked for anything yet; {@link JdbcSchema#check} does that. */
        public JdbcTokenStore build() {
            return new JdbcTokenStore(this);
        }
    }
}
