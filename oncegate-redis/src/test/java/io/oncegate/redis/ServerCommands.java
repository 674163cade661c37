package io.oncegate.redis;

import io.oncegate.testsupport.RedisServer;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** What a server of a test's own is asked for. */
final class ServerCommands {
    private static final Pattern STAT = Pattern.compile("cmdstat_(\\w+):calls=(\\d+)");

    private ServerCommands() {}

    /** The commands that the server counts while this runs, without those of the counting. */
    static String of(RedisServer server, Runnable call) throws IOException {
        server.send("CONFIG RESETSTAT");
        call.run();
        Map<String, String> counts = new TreeMap<>();
        var stats = STAT.matcher(server.send("INFO commandstats"));
        while (stats.find()) {
            counts.put(stats.group(1), stats.group(2));
        }
        counts.remove("config");
        counts.remove("info");
        return counts.toString().replaceAll("[{},]", "");
    }
}
