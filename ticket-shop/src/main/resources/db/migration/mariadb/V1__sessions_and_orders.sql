-- Concert sessions with their stock, and orders. Times are UTC.
-- Texts that identify are compared byte for byte: a collation must not make two of them equal.

CREATE TABLE concert_session (
    id      BIGINT         NOT NULL,
    name    VARCHAR(120)   NOT NULL,
    price   DECIMAL(10, 2) NOT NULL,
    stock   INT            NOT NULL,
    version BIGINT         DEFAULT 0 NOT NULL,
    PRIMARY KEY (id),
    CONSTRAINT ck_session_stock CHECK (stock >= 0)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;

CREATE TABLE orders (
    id         BIGINT         NOT NULL AUTO_INCREMENT,
    order_no   VARCHAR(64)    CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    user_id    VARCHAR(64)    CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    session_id BIGINT         NOT NULL,
    request_id VARCHAR(255)   CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    quantity   INT            NOT NULL,
    amount     DECIMAL(20, 2) NOT NULL,
    status     SMALLINT       DEFAULT 0 NOT NULL,
    version    BIGINT         DEFAULT 0 NOT NULL,
    created_at DATETIME(3)    NOT NULL,
    PRIMARY KEY (id),
    CONSTRAINT uk_order_no UNIQUE (order_no),
    CONSTRAINT uk_request UNIQUE (user_id, session_id, request_id),
    CONSTRAINT fk_order_session FOREIGN KEY (session_id) REFERENCES concert_session (id),
    CONSTRAINT ck_order_quantity CHECK (quantity > 0)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;

CREATE INDEX ix_orders_user ON orders (user_id, id);
