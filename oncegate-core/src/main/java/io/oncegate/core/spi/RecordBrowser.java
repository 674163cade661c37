package io.oncegate.core.spi;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.RecordId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An ability of a store: lets operators look at records and forget single ones. Thread-safe. */
public interface RecordBrowser {
    /**
     * A record as operators see it, without result and fingerprint.
     *
     * @param id the record
     * @param operation the operation's name
     * @param state the state
     * @param fence the number of the newest claim
     * @param leaseEnd when the lease ends, in microseconds since 1970; 0 without one
     * @param expiresAt from when it no longer answers, in microseconds since 1970
     * @param resultSize bytes of the result; -1 without one
     * @param asked how often a reconciler has been let in to find out an outcome; 0 in other states than unknown
     * @param askAgainAt until when nobody is let in to find out, in microseconds since 1970; 0 without it
     */
    record Entry(
            RecordId id,
            String operation,
            RecordState state,
            long fence,
            long leaseEnd,
            long expiresAt,
            int resultSize,
            int asked,
            long askAgainAt) {
        /**
         * A record as operators see it.
         *
         * @throws IllegalArgumentException if another version has written it
         */
        public static Entry of(RecordId id, StoredRecord record) {
            boolean unknown = record.state() == RecordState.UNKNOWN;
            Payload result = record.state().settled() ? record.result() : null;
            return new Entry(
                    id,
                    record.operation(),
                    record.state(),
                    record.fence(),
                    record.leaseEnd(),
                    record.expiresAt(),
                    result == null ? -1 : result.size(),
                    unknown ? Inquiry.of(record).asked() : 0,
                    unknown ? record.resultUntil() : 0);
        }
    }

    /**
     * Some of the records.
     *
     * @param entries the records, in no promised order
     * @param next where to go on, or null at the end
     */
    record Page(List<Entry> entries, @Nullable String next) {}

    /**
     * Which records to show.
     *
     * @param operation only this operation's, or null for all
     * @param state only those in this state, or null for all
     * @param limit about how many a page, 1 to 1000
     * @param after the last page's {@link Page#next}, or null to begin
     */
    record Query(
            @Nullable String operation,
            @Nullable RecordState state,
            int limit,
            @Nullable String after) {
        /** Checks the limit. */
        public Query {
            if (limit < 1 || limit > 1000) {
                throw new IllegalArgumentException("a page has 1 to 1000 records, not " + limit);
            }
        }
    }

    /**
     * Reads a page. A record that stays through the whole listing is shown; one that comes, goes or changes meanwhile may
     * be shown or not. A page may be empty although more follow.
     *
     * @throws StoreUnavailableException if there is no answer
     */
    Page browse(Query query);

    /**
     * Reads one record.
     *
     * @throws StoreUnavailableException if there is no answer
     */
    Optional<Entry> find(RecordId id);

    /**
     * Makes a record that nobody holds free, so that its key runs again: for an operator who knows that nothing has
     * happened, or that it shall happen again. Atomic, as {@link RecordMachine#forget}.
     *
     * @throws StoreUnavailableException if there is no answer
     */
    ForgetAnswer forget(RecordId id);
}
