-- Oncegate's records. All times are microseconds since 1970 by this database's clock.
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
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

CREATE INDEX oncegate_record_due ON oncegate_record (due_at);
