package io.oncegate.boot;

/** Where unused strict tokens are kept. */
public enum TokenStoreKind {
    /** Where {@code oncegate.store} says; if it says nothing: Redis, else the database, else nowhere. */
    AUTO,
    /** Redis. */
    REDIS,
    /** The application's database, in a table of its own. */
    JDBC,
    /** The memory of this process: for tests and samples. */
    MEMORY,
    /** Nowhere: there are replay tokens alone. */
    NONE
}
