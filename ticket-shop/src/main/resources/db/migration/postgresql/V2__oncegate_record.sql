-- Oncegate's records. All times are microseconds since 1970 by this database's clock.
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
);

CREATE INDEX oncegate_record_due ON oncegate_record (due_at);
