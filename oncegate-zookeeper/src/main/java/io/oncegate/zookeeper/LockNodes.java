package io.oncegate.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.BackgroundCallback;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.recipes.locks.LockInternals;
import org.apache.curator.framework.recipes.locks.LockInternalsDriver;
import org.apache.curator.framework.recipes.locks.PredicateResults;
import org.apache.curator.framework.recipes.locks.StandardLockInternalsDriver;
import org.apache.curator.utils.ZKPaths;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a lock: each acquisition has one below the lock's own, named and queued as Curator's lock recipe does. All
 * questions are asked in the background, so that no caller waits inside of Curator. Thread-safe.
 */
final class LockNodes {
    // the recipe's name: an InterProcessMutex on the same path stands in the same queue
    private static final String NAME = "lock-";

    private final CuratorFramework client;
    private final LockInternalsDriver recipe = new StandardLockInternalsDriver();

    LockNodes(CuratorFramework client) {
        this.client = client;
    }

    /** Sends one request with this callback. */
    private interface Sending {
        void with(BackgroundCallback callback) throws Exception;
    }

    /** Creates a node at the queue's end, and the lock's own where it is missing. Gives its path. */
    CompletableFuture<String> create(String lock, byte[] data) {
        return answered(
                callback -> client.create()
                        .creatingParentContainersIfNeeded()
                        .withProtection()
                        .withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
                        .inBackground(callback)
                        .forPath(ZKPaths.makePath(lock, NAME), data),
                CuratorEvent::getName);
    }

    /** The names in the queue, the first one in front; none where there is no such lock. */
    CompletableFuture<List<String>> queue(String lock) {
        return answered(
                callback -> client.getChildren().inBackground(callback).forPath(lock),
                event -> isMissing(event)
                        ? List.of()
                        : LockInternals.getSortedChildren(NAME, recipe, event.getChildren()));
    }

    /** As {@link #queue}, no older than this question, whichever server of an ensemble answers. */
    CompletableFuture<List<String>> freshQueue(String lock) {
        CompletableFuture<Boolean> synced =
                answered(callback -> client.sync().inBackground(callback).forPath(lock), event -> true);
        // sent one behind the other, answered in that order
        return synced.thenCombine(queue(lock), (done, queue) -> queue);
    }

    /** What is known of a node, null where there is none; has the watcher told of its end. */
    CompletableFuture<@Nullable Stat> find(String node, Watcher watcher) {
        return answered(
                callback -> client.checkExists()
                        .usingWatcher(watcher)
                        .inBackground(callback)
                        .forPath(node),
                CuratorEvent::getStat);
    }

    /** Has the watcher told of the end of a node that stands in front; false if it is gone already. */
    CompletableFuture<Boolean> watch(String node, Watcher watcher) {
        // by its data: watching what does not exist would leave a watch behind
        return answered(
                callback -> client.getData()
                        .usingWatcher(watcher)
                        .inBackground(callback)
                        .forPath(node),
                event -> !isMissing(event));
    }

    /** Takes a watcher back. */
    void unwatch(String node, Watcher watcher) {
        var unused = answered(
                callback -> client.watchers()
                        .remove(watcher)
                        .ofType(WatcherType.Data)
                        .inBackground(callback)
                        .forPath(node),
                event -> true);
    }

    /** Deletes a node, and goes on after a failure until it is gone; false if it was not there. */
    CompletableFuture<Boolean> delete(String node) {
        return answered(
                callback -> client.delete().guaranteed().inBackground(callback).forPath(node),
                event -> !isMissing(event));
    }

    /** Deletes a lock's own node if it has no queue; else does nothing. */
    void deleteIfEmpty(String lock) {
        var unused = answered(callback -> client.delete().inBackground(callback).forPath(lock), event -> true);
    }

    /** Asks for anything: only that there is an answer counts. */
    CompletableFuture<Boolean> ping(String path) {
        return answered(callback -> client.checkExists().inBackground(callback).forPath(path), event -> true);
    }

    /**
     * Who stands in front.
     *
     * @return the name to wait for; null if this one is the first
     * @throws KeeperException.NoNodeException if this one is not in the queue
     */
    @Nullable
    String before(List<String> queue, String node) throws Exception {
        PredicateResults results = recipe.getsTheLock(client, queue, ZKPaths.getNodeFromPath(node), 1);
        return results.getsTheLock() ? null : results.getPathToWatch();
    }

    private static boolean isMissing(CuratorEvent event) {
        return event.getResultCode() == Code.NONODE.intValue();
    }

    private <T> CompletableFuture<T> answered(Sending sending, Function<CuratorEvent, T> read) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            sending.with((answering, event) -> {
                if (event.getResultCode() == Code.OK.intValue() || isMissing(event)) {
                    answer.complete(read.apply(event));
                } else {
                    answer.completeExceptionally(
                            KeeperException.create(Code.get(event.getResultCode()), event.getPath()));
                }
            });
        } catch (Exception e) {
            // the client has been closed, or is not started
            answer.completeExceptionally(e);
        }
        return answer;
    }
}
