-- Oncegate's locks. All times are microseconds since 1970 by this database's clock. A lease_end of 0 says that the hold has
-- been ended. due_at only proposes a row to the purge, so that acquiring and ending leave the index alone.
CREATE TABLE oncegate_lock (
    id           VARBINARY(38) NOT NULL PRIMARY KEY,
    operation    VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    attempt      VARBINARY(16) NOT NULL,
    fence        BIGINT NOT NULL,
    lease_end    BIGINT NOT NULL,
    window_end   BIGINT NOT NULL,
    result       LONGBLOB,
    result_fence BIGINT NOT NULL,
    result_until BIGINT NOT NULL,
    due_at       BIGINT NOT NULL
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

CREATE INDEX oncegate_lock_due ON oncegate_lock (due_at);
