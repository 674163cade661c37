-- Oncegate's records in partitions, for tables of many millions of rows: see "Partitions" in docs/stores/jdbc.md.
-- An id begins with the key's birth time (6 bytes, milliseconds since 1970) where the key carries one (UUID version 7, ULID).
-- A month of those is a partition here, and goes by dropping it. Ids of other keys are digests, which lie all over: nearly all of
-- them in the last partition, from which the purge deletes them.
-- Change the months to yours, and add the next ones in time: "later" takes what has no month yet, and should stay empty.
-- All times are microseconds since 1970 by this database's clock.
CREATE TABLE oncegate_record (
    id           VARBINARY(38)   NOT NULL PRIMARY KEY,
    operation    VARCHAR(100)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    state        SMALLINT        NOT NULL,
    fence        BIGINT          NOT NULL,
    attempt      VARBINARY(16)   NOT NULL,
    fingerprint  VARBINARY(8192) NOT NULL,
    lease_end    BIGINT          NOT NULL,
    retention    BIGINT          NOT NULL,
    expires_at   BIGINT          NOT NULL,
    result       LONGBLOB,
    result_until BIGINT          NOT NULL,
    due_at       BIGINT
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC
PARTITION BY RANGE COLUMNS (id) (
    -- x'...' is SELECT LPAD(HEX(UNIX_TIMESTAMP('2026-12-01') * 1000), 12, '0') in a session whose time zone is UTC
    PARTITION earlier VALUES LESS THAN (x'01A22EE6B000'),
    PARTITION m2026_12 VALUES LESS THAN (x'01A2CE8BD400'),
    PARTITION m2027_01 VALUES LESS THAN (x'01A36E30F800'),
    PARTITION later VALUES LESS THAN (x'02'),
    PARTITION digests VALUES LESS THAN (MAXVALUE)
);

CREATE INDEX oncegate_record_due ON oncegate_record (due_at);
