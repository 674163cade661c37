package io.oncegate.proof;

/** How an operation under test is protected. */
public enum Mode {
    /** Claimed in Redis; the effect is in a database. */
    CLAIMED_REDIS,
    /** Claimed in a database, in transactions apart from the effect's. */
    CLAIMED_JDBC,
    /** Record and effect in one transaction, the record first. */
    SAME_TRANSACTION,
    /** Record and effect in one transaction, the record last. */
    SAME_TRANSACTION_LATE;

    boolean sameTransaction() {
        return this == SAME_TRANSACTION || this == SAME_TRANSACTION_LATE;
    }
}
