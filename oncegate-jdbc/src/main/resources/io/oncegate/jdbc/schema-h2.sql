-- Oncegate's records. All times are microseconds since 1970 by this database's clock.
CREATE TABLE oncegate_record (
    id           VARBINARY(38)   NOT NULL PRIMARY KEY,
    operation    VARCHAR(100)    NOT NULL,
    state        SMALLINT        NOT NULL,
    fence        BIGINT          NOT NULL,
    attempt      VARBINARY(16)   NOT NULL,
    fingerprint  VARBINARY(8192) NOT NULL,
    lease_end    BIGINT          NOT NULL,
    retention    BIGINT          NOT NULL,
    expires_at   BIGINT          NOT NULL,
    result       BLOB,
    result_until BIGINT          NOT NULL,
    due_at       BIGINT
);

CREATE INDEX oncegate_record_due ON oncegate_record (due_at);
