package io.oncegate.testkit;

import io.oncegate.core.spi.StoredRecord;
import org.jspecify.annotations.Nullable;

/** The rows of the record's table. */
enum RecordRow {
    ABSENT,
    FREE,
    RUNNING,
    LEASE_OVER,
    LEASE_OVER_FOR_A_RETENTION,
    SETTLED_WITH_RESULT,
    SETTLED_WITHOUT_RESULT,
    SETTLED_PAST_RETENTION,
    UNKNOWN;

    static RecordRow of(@Nullable StoredRecord record, long now) {
        if (record == null) {
            return ABSENT;
        }
        return switch (record.state()) {
            case FREE -> FREE;
            case RUNNING ->
                record.leased(now) ? RUNNING : record.expired(now) ? LEASE_OVER_FOR_A_RETENTION : LEASE_OVER;
            case SUCCEEDED, REFUSED ->
                record.expired(now)
                        ? SETTLED_PAST_RETENTION
                        : record.resultAt(now) != null ? SETTLED_WITH_RESULT : SETTLED_WITHOUT_RESULT;
            case UNKNOWN -> UNKNOWN;
        };
    }

    /** The questions that the table has columns for. */
    enum Question {
        CLAIM_SAME,
        CLAIM_OTHER,
        RENEW_BY_HOLDER,
        SETTLE_BY_HOLDER,
        RELEASE_BY_HOLDER,
        RENEW_BY_ANOTHER,
        SETTLE_BY_ANOTHER,
        RELEASE_BY_ANOTHER
    }
}
