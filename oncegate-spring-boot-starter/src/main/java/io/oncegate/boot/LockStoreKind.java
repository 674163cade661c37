package io.oncegate.boot;

/** Where locks are kept. */
public enum LockStoreKind {
    /** Where {@code oncegate.store} says; if it says nothing: Redis, else the database. Never ZooKeeper. */
    AUTO,
    /** Redis. */
    REDIS,
    /** The application's database, in a table of its own. */
    JDBC,
    /** ZooKeeper, by the application's CuratorFramework. There are no windows and no results. */
    ZOOKEEPER,
    /** The memory of this process, for tests and samples: another instance of the application is not kept out. */
    MEMORY
}
