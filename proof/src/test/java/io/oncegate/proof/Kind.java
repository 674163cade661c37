package io.oncegate.proof;

import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.RedisServers;
import io.oncegate.testsupport.TestDatabase;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;

/** A mode on a store, and a place for it on servers that all tests share. */
enum Kind {
    CLAIMED_REDIS(Mode.CLAIMED_REDIS, Databases.POSTGRESQL),
    CLAIMED_POSTGRESQL(Mode.CLAIMED_JDBC, Databases.POSTGRESQL),
    CLAIMED_MARIADB(Mode.CLAIMED_JDBC, Databases.MARIADB),
    SAME_POSTGRESQL(Mode.SAME_TRANSACTION, Databases.POSTGRESQL),
    SAME_MARIADB(Mode.SAME_TRANSACTION, Databases.MARIADB),
    SAME_MARIADB_MYSQL_DRIVER(Mode.SAME_TRANSACTION, Databases.MARIADB_MYSQL_DRIVER),
    LATE_POSTGRESQL(Mode.SAME_TRANSACTION_LATE, Databases.POSTGRESQL),
    LATE_MARIADB(Mode.SAME_TRANSACTION_LATE, Databases.MARIADB);

    final Mode mode;
    private final Databases databases;

    Kind(Mode mode, Databases databases) {
        this.mode = mode;
        this.databases = databases;
    }

    /** Databases with the tables, one of each kind, and the places in them. */
    static final class Places implements AutoCloseable {
        private final Map<Databases, TestDatabase> open = new EnumMap<>(Databases.class);

        synchronized Place of(Kind kind) throws SQLException {
            TestDatabase database = open.get(kind.databases);
            if (database == null) {
                database = kind.databases.fresh();
                open.put(kind.databases, database);
                new Effects(new DriverSource(database.url(), database.user(), database.password())).create();
            }
            String redis = kind.mode == Mode.CLAIMED_REDIS
                    ? RedisServers.standalone().uri().toURI().toString()
                    : "";
            return new Place(kind.mode, database.url(), database.user(), database.password(), redis);
        }

        @Override
        public synchronized void close() {
            open.values().forEach(TestDatabase::close);
        }
    }
}
