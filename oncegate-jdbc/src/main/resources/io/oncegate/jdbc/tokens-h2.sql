-- Oncegate's strict one-time tokens. All times are microseconds since 1970 by this database's clock. A row whose id has 32
-- bytes is a subject's lock: its id is the subject's digest, and its own subject is empty.
CREATE TABLE oncegate_token (
    id         VARBINARY(32) NOT NULL PRIMARY KEY,
    subject    VARBINARY(32) NOT NULL,
    purpose    VARBINARY(32) NOT NULL,
    attempt    VARBINARY(16),
    expires_at BIGINT        NOT NULL,
    issues     BIGINT        NOT NULL
);

CREATE INDEX oncegate_token_subject ON oncegate_token (subject, expires_at);
CREATE INDEX oncegate_token_due ON oncegate_token (expires_at);
