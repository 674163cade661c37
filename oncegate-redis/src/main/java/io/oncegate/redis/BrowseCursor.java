package io.oncegate.redis;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Where a listing stands: on a server, at a position of its SCAN.
 *
 * @param node the server's id; servers are gone through in the order of their ids
 * @param position as Redis gave it
 */
record BrowseCursor(String node, String position) {
    private static final String BEGIN = "0";

    /**
     * The cursor that {@link #text} had given, or the begin for null.
     *
     * @throws IllegalArgumentException if it is something else
     */
    static BrowseCursor parse(@Nullable String text) {
        if (text == null) {
            return new BrowseCursor("", BEGIN);
        }
        int slash = text.indexOf('/');
        if (slash < 0 || !text.substring(slash + 1).matches("[0-9]{1,20}")) {
            throw new IllegalArgumentException("not a cursor that an earlier page had given");
        }
        return new BrowseCursor(text.substring(0, slash), text.substring(slash + 1));
    }

    String text() {
        return node + "/" + position;
    }

    /** This place if its server is still there, else the begin of the next one; null behind the last. */
    @Nullable
    BrowseCursor on(List<RedisLink.Node> nodes) {
        for (RedisLink.Node each : nodes) {
            int order = each.id().compareTo(node);
            if (order >= 0) {
                return order == 0 ? this : new BrowseCursor(each.id(), BEGIN);
            }
        }
        return null;
    }

    /** The place behind what a SCAN has found here; null behind the last. */
    @Nullable
    BrowseCursor after(KeyScanCursor<?> found, List<RedisLink.Node> nodes) {
        return found.isFinished()
                ? new BrowseCursor(node + " ", BEGIN).on(nodes)
                : new BrowseCursor(node, found.getCursor());
    }

    RedisClusterAsyncCommands<byte[], byte[]> commands(List<RedisLink.Node> nodes) {
        return nodes.stream()
                .filter(each -> each.id().equals(node))
                .findFirst()
                .orElseThrow(NoSuchElementException::new)
                .commands();
    }
}
