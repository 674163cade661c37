-- Oncegate's history of state machines: one row for each event of each row of the application's tables. fired_at is microseconds
-- since 1970 by this database's clock. Identities are digests (id, entity); entity_key and event_id are for people, in UTF-8.
CREATE TABLE oncegate_state_history (
    id         VARBINARY(38)   NOT NULL PRIMARY KEY,
    entity     VARBINARY(38)   NOT NULL,
    machine    VARCHAR(100)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    entity_key VARBINARY(255)  NOT NULL,
    event_id   VARBINARY(255)  NOT NULL,
    event_name VARCHAR(100)    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    applied    SMALLINT        NOT NULL,
    from_state VARCHAR(100)    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    to_state   VARCHAR(100)    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    version    BIGINT          NOT NULL,
    content    VARBINARY(8192) NOT NULL,
    attempt    VARBINARY(16)   NOT NULL,
    refusals   BIGINT          NOT NULL,
    fired_at   BIGINT          NOT NULL
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

CREATE INDEX oncegate_state_history_entity ON oncegate_state_history (entity, fired_at);
CREATE INDEX oncegate_state_history_fired ON oncegate_state_history (fired_at);
