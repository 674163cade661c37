package io.oncegate.jdbc;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.BirthRule;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.StoredRecord;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/**
 * What {@link RecordMachine} decided that a row shall be, with every time relative to the clock that the database will
 * read while it writes. So the machine decides in Java and still no time of a node gets into a row.
 *
 * @param id the record
 * @param record what the machine made of it; its times and fence are not used
 * @param leaseEnd when the lease ends
 * @param expiresAt when the record expires
 * @param resultUntil until when the result may be replayed
 * @param margin the purge margin in microseconds
 */
record Draft(RecordId id, StoredRecord record, Moment leaseEnd, Moment expiresAt, Moment resultUntil, long margin) {

    /** Microseconds after the database's clock, or since 1970. */
    record Moment(boolean relative, long micros) {
        static Moment of(long time, long now, boolean absolute) {
            return absolute ? new Moment(false, time) : new Moment(true, time - now);
        }
    }

    /**
     * The draft of a record that the machine has decided on.
     *
     * @param now the time that the machine was told
     * @param margin the purge margin in microseconds
     */
    static Draft of(RecordId id, StoredRecord record, long now, long margin) {
        Moment leaseEnd = Moment.of(record.leaseEnd(), now, record.leaseEnd() == 0);
        Moment expiresAt = Moment.of(record.expiresAt(), now, record.expiresAt() == StoredRecord.NEVER);
        boolean none = record.state().settled() ? record.result() == null : record.resultUntil() == 0;
        Moment resultUntil = Moment.of(record.resultUntil(), now, none);
        return new Draft(id, record, leaseEnd, expiresAt, resultUntil, margin);
    }

    /** Binds all columns in the order of an INSERT, but for the fence, which is the clock. */
    Binder insert(Binder to) throws SQLException {
        columns(to.bytes(id.toBytes()));
        if (!expiresAt.relative()) {
            return to.number((Long) null);
        }
        long gone = Math.max(expiresAt.micros(), margin);
        return to.number(replays() ? Math.min(gone, resultUntil.micros()) : gone);
    }

    /** Binds what a new claim writes over a row with this fence: all columns but id and fence. */
    Binder claimed(Binder to, long oldFence) throws SQLException {
        columns(to);
        return due(to, Math.max(expiresAt.micros(), margin), oldFence + 1);
    }

    /** Binds what a settling of the claim with this fence writes. */
    Binder settled(Binder to, long fence) throws SQLException {
        times(to.number(record.state().code()));
        return due(to, expiresAt.micros(), fence);
    }

    /** Whether there is a result that a sweep has to drop some day. */
    private boolean replays() {
        return record.state().settled() && record.result() != null;
    }

    private void columns(Binder to) throws SQLException {
        to.text(record.operation())
                .number(record.state().code())
                .bytes(record.attempt().toBytes())
                .bytes(record.fingerprint().toBytes())
                .moment(leaseEnd);
        times(to);
    }

    private void times(Binder to) throws SQLException {
        to.number(record.retention())
                .moment(expiresAt)
                .bytes(record.result() == null ? null : record.result().bytes())
                .moment(resultUntil);
    }

    /** Binds {@code LEAST(clock * ? + ?, GREATEST(clock + ?, ?))}: when a sweep has something to do; all null for never. */
    private Binder due(Binder to, long gone, long fence) throws SQLException {
        if (!expiresAt.relative()) {
            return to.number((Long) null)
                    .number((Long) null)
                    .number((Long) null)
                    .number((Long) null);
        }
        Moment dropped = replays() ? resultUntil : new Moment(false, StoredRecord.NEVER);
        return to.moment(dropped).number(gone).number(fence + margin);
    }

    /**
     * Between which times of the database a key may be run for which no record answers.
     *
     * @param from the first
     * @param to the first that is too late
     */
    record Window(long from, long to) {
        /** The window that a birth rule leaves open. */
        static Window of(BirthRule rule) {
            long born = TimeUnit.MILLISECONDS.toMicros(rule.bornAt().toEpochMilli());
            return new Window(
                    saturated(born, -RecordMachine.micros(rule.tolerance())),
                    saturated(born, RecordMachine.micros(rule.limit())));
        }

        private static long saturated(long a, long b) {
            long sum = a + b;
            return ((a ^ sum) & (b ^ sum)) < 0 ? (a < 0 ? Long.MIN_VALUE : Long.MAX_VALUE) : sum;
        }
    }
}
