-- Payments of orders. paying names the one that is under way: while there is one, the order is not cancelled.

ALTER TABLE orders
    ADD COLUMN paying   VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin,
    ADD COLUMN payments INT DEFAULT 0 NOT NULL;

CREATE TABLE payment (
    payment_key VARCHAR(64)    CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    order_id    BIGINT         NOT NULL,
    attempt     INT            NOT NULL,
    amount      DECIMAL(20, 2) NOT NULL,
    state       SMALLINT       DEFAULT 0 NOT NULL,
    reference   VARCHAR(64)    CHARACTER SET ascii COLLATE ascii_nopad_bin,
    created_at  DATETIME(3)    NOT NULL,
    asked_at    DATETIME(3)    NOT NULL,
    PRIMARY KEY (payment_key),
    CONSTRAINT uk_payment_attempt UNIQUE (order_id, attempt),
    CONSTRAINT fk_payment_order FOREIGN KEY (order_id) REFERENCES orders (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4;

CREATE INDEX ix_payment_open ON payment (state, created_at);
