-- Oncegate's fences: the highest number of a holder that has been here, for each key. raised_at is microseconds since 1970 by
-- this database's clock, to the hour.
CREATE TABLE oncegate_fence (
    id        BYTEA NOT NULL PRIMARY KEY,
    fence     BIGINT NOT NULL,
    raised_at BIGINT NOT NULL
) WITH (fillfactor = 70);

CREATE INDEX oncegate_fence_raised ON oncegate_fence (raised_at);
