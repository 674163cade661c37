-- Oncegate's records in partitions, for tables of many millions of rows: see "Partitions" in docs/stores/jdbc.md.
-- An id begins with the key's birth time (6 bytes, milliseconds since 1970) where the key carries one (UUID version 7, ULID).
-- A month of those is a partition here, and goes by dropping it. Ids of other keys are digests, which lie all over: nearly all of
-- them in the last partition, from which the purge deletes them.
-- Change the months to yours, and add the next ones in time: "later" takes what has no month yet, and should stay empty.
-- All times are microseconds since 1970 by this database's clock.
CREATE TABLE oncegate_record (
    id           BYTEA        NOT NULL PRIMARY KEY,
    operation    VARCHAR(100) NOT NULL,
    state        SMALLINT     NOT NULL,
    fence        BIGINT       NOT NULL,
    attempt      BYTEA        NOT NULL,
    fingerprint  BYTEA        NOT NULL,
    lease_end    BIGINT       NOT NULL,
    retention    BIGINT       NOT NULL,
    expires_at   BIGINT       NOT NULL,
    result       BYTEA,
    result_until BIGINT       NOT NULL,
    due_at       BIGINT
) PARTITION BY RANGE (id);

CREATE INDEX oncegate_record_due ON oncegate_record (due_at);

CREATE TABLE oncegate_record_earlier PARTITION OF oncegate_record
    FOR VALUES FROM (MINVALUE)
    TO (decode(lpad(to_hex((extract(epoch FROM timestamptz '2026-12-01 00:00Z') * 1000)::bigint), 12, '0'), 'hex'));

CREATE TABLE oncegate_record_2026_12 PARTITION OF oncegate_record
    FOR VALUES FROM (decode(lpad(to_hex((extract(epoch FROM timestamptz '2026-12-01 00:00Z') * 1000)::bigint), 12, '0'), 'hex'))
    TO (decode(lpad(to_hex((extract(epoch FROM timestamptz '2027-01-01 00:00Z') * 1000)::bigint), 12, '0'), 'hex'));

CREATE TABLE oncegate_record_2027_01 PARTITION OF oncegate_record
    FOR VALUES FROM (decode(lpad(to_hex((extract(epoch FROM timestamptz '2027-01-01 00:00Z') * 1000)::bigint), 12, '0'), 'hex'))
    TO (decode(lpad(to_hex((extract(epoch FROM timestamptz '2027-02-01 00:00Z') * 1000)::bigint), 12, '0'), 'hex'));

CREATE TABLE oncegate_record_later PARTITION OF oncegate_record
    FOR VALUES FROM (decode(lpad(to_hex((extract(epoch FROM timestamptz '2027-02-01 00:00Z') * 1000)::bigint), 12, '0'), 'hex'))
    TO ('\x02');

CREATE TABLE oncegate_record_digests PARTITION OF oncegate_record
    FOR VALUES FROM ('\x02') TO (MAXVALUE);
