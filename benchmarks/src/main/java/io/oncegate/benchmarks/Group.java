package io.oncegate.benchmarks;

import io.oncegate.testsupport.Databases;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The rows of one backend. Used by one thread. */
interface Group extends AutoCloseable {
    /** The groups that are measured unless said otherwise. */
    List<String> DEFAULT = List.of(
            "memory",
            "redis",
            "postgresql",
            "mariadb",
            "http",
            "redis-locks",
            "postgresql-locks",
            "mariadb-locks",
            "postgresql-data",
            "mariadb-data",
            "postgresql-ladder",
            "mariadb-ladder");

    /** Starts the backend of this name. */
    static Group open(String name, Plan plan) throws Exception {
        return switch (name) {
            case "memory" -> new MemoryGroup(plan);
            case "redis" -> new RedisGroup(plan);
            case "postgresql" -> new DatabaseGroup(Databases.POSTGRESQL, plan);
            case "mariadb" -> new DatabaseGroup(Databases.MARIADB, plan);
            case "mariadb-mysql-driver" -> new DatabaseGroup(Databases.MARIADB_MYSQL_DRIVER, plan);
            case "http" -> new HttpGroup(plan);
            case "redis-locks" -> new RedisLockGroup(plan);
            case "postgresql-data" -> new DataGroup(Databases.POSTGRESQL, plan);
            case "mariadb-data" -> new DataGroup(Databases.MARIADB, plan);
            case "postgresql-ladder" -> new LadderGroup(Databases.POSTGRESQL, plan);
            case "mariadb-ladder" -> new LadderGroup(Databases.MARIADB, plan);
            case "postgresql-purge" -> new PurgeGroup(Databases.POSTGRESQL, plan);
            case "mariadb-purge" -> new PurgeGroup(Databases.MARIADB, plan);
            case "postgresql-growth" -> new GrowthGroup(Databases.POSTGRESQL, plan);
            case "mariadb-growth" -> new GrowthGroup(Databases.MARIADB, plan);
            case "postgresql-locks" -> new JdbcLockGroup(Databases.POSTGRESQL, plan);
            case "mariadb-locks" -> new JdbcLockGroup(Databases.MARIADB, plan);
            default -> throw new IllegalArgumentException("There is no backend " + name + ".");
        };
    }

    /** What runs here, with the settings that count. */
    String about() throws Exception;

    /** The comparisons. */
    List<Row> rows();

    /** Counts round trips; null where there are none. */
    default @Nullable RoundTrips roundTrips() {
        return null;
    }

    /** The server's CPU time in microseconds; null where it is not known. */
    default @Nullable LongSupplier serverCpu() {
        return null;
    }

    /** How its rows are measured, which may differ from what is asked for where slots have to be longer. */
    default Plan plan(Plan asked) {
        return asked;
    }

    /** Empties the backend, so that no row is slower for those before it. */
    void clean() throws Exception;

    /**
     * Called after each row: looks whether its sides did all that they were measured for, and no more.
     *
     * @throws IllegalStateException if not; the row does not count then
     */
    default void check() throws Exception {}

    /** What the row that was checked last has to tell besides its ratios; empty if nothing. */
    default String note() {
        return "";
    }

    @Override
    void close();
}
