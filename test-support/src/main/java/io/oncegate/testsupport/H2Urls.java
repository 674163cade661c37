package io.oncegate.testsupport;

import java.nio.file.Path;
import java.util.UUID;

/** Addresses of H2 databases. */
public final class H2Urls {

    /** The user of every H2 database here; the password is empty. */
    public static final String USER = "sa";

    private H2Urls() {}

    /** A new database in memory, that lives as long as the JVM or until SHUTDOWN. */
    public static String memory() {
        return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    }

    /** A database in a file, that writes each commit at once. */
    public static String file(Path file) {
        return "jdbc:h2:file:" + file.toAbsolutePath() + ";WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE";
    }
}
