package io.oncegate.proof;

import java.util.List;

/**
 * Where locks and the data that they guard are kept, so that any process can go there.
 *
 * @param kept which kind of store has the locks
 * @param address of the locks: of a Redis or of a ZooKeeper; empty where they are in the data's database
 * @param url the JDBC address of the database with the data
 * @param user the database's user
 * @param password the user's password
 */
public record LockPlace(Kept kept, String address, String url, String user, String password) {
    /** A kind of store for locks. */
    public enum Kept {
        /** In Redis. */
        REDIS,
        /** In the database. */
        JDBC,
        /** In ZooKeeper. */
        ZOOKEEPER
    }

    static final int ARGUMENTS = 5;

    List<String> toArguments() {
        return List.of(kept.name(), address, url, user, password);
    }

    static LockPlace of(List<String> arguments) {
        return new LockPlace(
                Kept.valueOf(arguments.get(0)), arguments.get(1), arguments.get(2), arguments.get(3), arguments.get(4));
    }
}
