package io.oncegate.proof;

import java.util.List;

/**
 * Where records and effects are kept, so that any process can go there.
 *
 * @param mode how operations are protected
 * @param url the JDBC address of the database with the effects, and with the records unless they are in Redis
 * @param user the database's user
 * @param password the user's password
 * @param redis the address of the Redis, or empty without one
 */
public record Place(Mode mode, String url, String user, String password, String redis) {
    List<String> toArguments() {
        return List.of(mode.name(), url, user, password, redis);
    }

    static Place of(List<String> arguments) {
        return new Place(
                Mode.valueOf(arguments.get(0)), arguments.get(1), arguments.get(2), arguments.get(3), arguments.get(4));
    }

    /** The same place, reached in another way. */
    public Place at(String otherUrl) {
        return new Place(mode, otherUrl, user, password, redis);
    }
}
