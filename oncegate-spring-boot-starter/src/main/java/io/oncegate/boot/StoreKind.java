package io.oncegate.boot;

/** Where the records of claimed operations are kept. */
public enum StoreKind {
    /** Redis if one is configured, else the application's database, else the start is refused. */
    AUTO,
    /** Redis. */
    REDIS,
    /** The application's database. */
    JDBC,
    /**
     * The memory of this process: for tests and samples. Another instance of the application does not see it, and it is gone
     * after a restart.
     */
    MEMORY
}
