package io.oncegate.jdbc;

import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.BirthRule;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.MarkAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.RecordMachine.Decision;
import io.oncegate.core.spi.RecordMarker;
import io.oncegate.core.spi.RecordPurger;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import io.oncegate.core.spi.StoredRecord;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Keeps records in one table of PostgreSQL, MariaDB, MySQL or H2, apart from the business's own transaction
 * (<em>claimed</em> mode). Thread-safe.
 *
 * <ol>
 *   <li>A claim inserts the row, or reads the one that is there, in one statement. Nothing is looked up before.
 *   <li>{@link RecordMachine} decides on the row that was read. If it grants, a second statement writes the new claim over
 *       the row, on condition that the row is still the same and the database's clock agrees; if not, from the start.
 *   <li>Renew, settle and release are one conditional update each. Only if that finds nothing, the row is read to say why.
 * </ol>
 *
 * <p>Every call takes a connection from the data source, which is given back before the call returns, and holds no lock
 * afterwards; inside a transaction of the caller that is a second connection, so give the store a pool of its own or one
 * that is larger than the number of threads. A pool whose connections are not in auto-commit costs a further round trip
 * for each call. How long the data source may take to hand out a connection is its own setting; all else is bounded by
 * the timeout. All times are the database's; the node's clock counts for nothing.
 */
public final class JdbcRecordStore implements RecordStore, RecordBrowser, RecordPurger, RecordMarker {
    /** How long a call may take, unless said otherwise. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

    /** What must lie between a record's fence and its removal, unless said otherwise. */
    public static final Duration DEFAULT_PURGE_MARGIN = Duration.ofMinutes(15);

    private static final int MOST_LOOKS = 20;
    static final byte[] NO_FINGERPRINT = Fingerprint.none().toBytes();

    private final String name;
    private final JdbcCalls calls;
    private final JdbcBrowser browser;
    private final long margin;

    private JdbcRecordStore(Builder builder) {
        Dialects dialects = builder.dialect == null
                ? new Dialects(
                        builder.table, JdbcCalls.lockWait(builder.timeout).toMillis())
                : new Dialects(builder.dialect);
        this.name = "jdbc:" + dialects.table();
        this.calls = new JdbcCalls(name, builder.source, builder.timeout, dialects);
        this.browser = new JdbcBrowser(calls);
        this.margin = RecordMachine.micros(builder.purgeMargin);
    }

    /** A store on the table {@code oncegate_record}. */
    public static JdbcRecordStore of(DataSource source) {
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
    public ClaimAnswer claim(ClaimRequest request) {
        Draft fresh = fresh(request, margin);
        Draft.Window window = window(request.birth());
        return calls.call("a claim", (session, dialect) -> {
            for (int look = 0; look < MOST_LOOKS; look++) {
                Found found = dialect.insertOrRead(session, fresh, window);
                if (found.inserted() != null) {
                    return new ClaimAnswer.Granted(found.inserted(), false);
                }
                ClaimAnswer answer = decide(session, dialect, request, found);
                if (answer != null) {
                    return answer;
                }
                session.commit();
            }
            throw calls.unsteady("a claim");
        });
    }

    /** The answer, or null if the row has to be looked at again. */
    private @Nullable ClaimAnswer decide(Session session, Dialect dialect, ClaimRequest request, Found found)
            throws SQLException {
        Decision<ClaimAnswer> decision = RecordMachine.claim(found.record(), request, found.now());
        if (found.record() == null) {
            return decision.record() == null ? decision.answer() : null;
        }
        StoredRecord next = decision.record();
        if (next == null || next == found.record()) {
            return decision.answer();
        }
        long fence = dialect.rewrite(session, found.record(), Draft.of(request.id(), next, found.now(), margin));
        if (fence < 0) {
            return null;
        }
        return decision.answer() instanceof ClaimAnswer.Granted granted
                ? new ClaimAnswer.Granted(fence, granted.takeover())
                : withFence((ClaimAnswer.Reconcile) decision.answer(), fence);
    }

    static ClaimAnswer withFence(ClaimAnswer.Reconcile decided, long fence) {
        return new ClaimAnswer.Reconcile(fence, decided.asked(), decided.age());
    }

    @Override
    public HolderAnswer renew(ClaimRef claim, Duration lease) {
        return held(
                "a renewal",
                claim,
                (session, dialect) -> dialect.renew(session, claim, RecordMachine.micros(lease), margin),
                found -> RecordMachine.renew(found.record(), claim, lease, found.now()));
    }

    @Override
    public HolderAnswer settle(ClaimRef claim, Settlement settlement) {
        Draft draft = settled(claim, settlement, null, margin);
        return held(
                "a settling",
                claim,
                (session, dialect) -> settlement.state() == RecordState.UNKNOWN
                        ? dialect.settleUnknown(session, claim, draft)
                        : dialect.settle(session, claim, draft),
                found -> RecordMachine.settle(found.record(), claim, settlement, found.now()));
    }

    @Override
    public HolderAnswer release(ClaimRef claim) {
        return held(
                "a release",
                claim,
                (session, dialect) -> dialect.release(session, claim, NO_FINGERPRINT, margin),
                found -> RecordMachine.release(found.record(), claim, found.now()));
    }

    private interface Rule {
        Decision<HolderAnswer> decide(Found found);
    }

    private HolderAnswer held(String what, ClaimRef claim, JdbcCalls.SqlCall<Boolean> update, Rule rule) {
        return calls.call(what, (session, dialect) -> {
            for (int look = 0; look < MOST_LOOKS; look++) {
                if (update.run(session, dialect)) {
                    return HolderAnswer.DONE;
                }
                session.commit();
                Found found = dialect.read(session, claim.id());
                Decision<HolderAnswer> decision = rule.decide(found);
                if (decision.record() == found.record()) {
                    return decision.answer();
                }
                session.commit();
            }
            throw calls.unsteady(what);
        });
    }

    @Override
    public Page browse(Query query) {
        return browser.browse(query);
    }

    @Override
    public Optional<Entry> find(RecordId id) {
        return browser.find(id);
    }

    @Override
    public ForgetAnswer forget(RecordId id) {
        return calls.call("a forgetting", (session, dialect) -> {
            for (int look = 0; look < MOST_LOOKS; look++) {
                Found found = dialect.read(session, id);
                StoredRecord record = found.record();
                Decision<ForgetAnswer> decision = RecordMachine.forget(record, found.now());
                if (record == null || decision.record() == record) {
                    return decision.answer();
                }
                ClaimRef seen = new ClaimRef(id, record.fence(), record.attempt());
                if (dialect.forget(session, seen, record, NO_FINGERPRINT, margin)) {
                    return decision.answer();
                }
                session.commit();
            }
            throw calls.unsteady("a forgetting");
        });
    }

    @Override
    public MarkAnswer mark(RecordId id, AttemptId attempt, Duration lease) {
        return calls.call("a mark", (session, dialect) -> {
            for (int look = 0; look < MOST_LOOKS; look++) {
                Found found = dialect.read(session, id);
                StoredRecord record = found.record();
                Decision<MarkAnswer> decision = RecordMachine.mark(record, attempt, lease, found.now());
                StoredRecord marked = decision.record();
                if (record == null || marked == null || marked == record) {
                    return decision.answer();
                }
                ClaimRef seen = new ClaimRef(id, record.fence(), record.attempt());
                if (dialect.mark(session, seen, record, marked, RecordMachine.micros(lease))) {
                    return decision.answer();
                }
                session.commit();
            }
            throw calls.unsteady("a mark");
        });
    }

    /**
     * {@inheritDoc}
     *
     * <p>A record is due when it has expired, and when the database's clock has passed its fence by the purge margin.
     */
    @Override
    public Purged purge(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("a batch has at least one record, not " + limit);
        }
        PurgeSql.Batch batch;
        int looks = 0;
        do {
            batch = calls.transaction(
                    "a purge", (session, dialect) -> dialect.purge().sweep(session, limit, margin));
        } while (batch.moreMayFollow() && ++looks < MOST_LOOKS);
        return batch.purged();
    }

    /** What the machine makes of a key without a record. */
    static Draft fresh(ClaimRequest request, long margin) {
        StoredRecord record =
                RecordMachine.claim(null, request.afterBusiness(), 0).record();
        if (record == null) {
            throw new IllegalStateException("a claim without a rule against it was not granted");
        }
        return Draft.of(request.id(), record, 0, margin);
    }

    /** What the machine makes of a claim that is held, and of which the record remembers this. */
    static Draft settled(ClaimRef claim, Settlement settlement, @Nullable Payload inquiry, long margin) {
        StoredRecord running = new StoredRecord(
                "",
                RecordState.RUNNING,
                claim.fence(),
                claim.attempt(),
                Fingerprint.none(),
                1,
                0,
                StoredRecord.NEVER,
                inquiry,
                0);
        StoredRecord record =
                RecordMachine.settle(running, claim, settlement, 0).record();
        return Draft.of(claim.id(), record == null ? running : record, 0, margin);
    }

    static Draft.@Nullable Window window(@Nullable BirthRule birth) {
        return birth == null ? null : Draft.Window.of(birth);
    }

    /** Collects the settings of a store. Not thread-safe. */
    public static final class Builder {
        private final DataSource source;
        private String table = Dialects.DEFAULT_TABLE;
        private @Nullable Dialect dialect;
        private Duration timeout = DEFAULT_TIMEOUT;
        private Duration purgeMargin = DEFAULT_PURGE_MARGIN;

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
            this.timeout = requireTimeout(timeout);
            return this;
        }

        /**
         * What must lie between a record's fence and its removal: the largest step that the database's clock is expected
         * to make, plus the longest wait for a lock. A shorter one lets a fence fall after a step.
         */
        public Builder purgeMargin(Duration purgeMargin) {
            if (purgeMargin.isNegative()) {
                throw new IllegalArgumentException("a purge margin is not negative");
            }
            this.purgeMargin = purgeMargin;
            return this;
        }

        /** Takes this dialect for the database's. */
        Builder dialect(Dialect dialect) {
            this.dialect = dialect;
            return this;
        }

        /** The store. The database is not asked for anything yet; {@link JdbcSchema#check} does that. */
        public JdbcRecordStore build() {
            return new JdbcRecordStore(this);
        }

        static Duration requireTimeout(Duration timeout) {
            if (timeout.compareTo(Duration.ofMillis(100)) < 0) {
                throw new IllegalArgumentException("a timeout is 100 ms or more, not " + timeout);
            }
            return timeout;
        }
    }
}
