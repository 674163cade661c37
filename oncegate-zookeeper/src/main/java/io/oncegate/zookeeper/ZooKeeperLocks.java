package io.oncegate.zookeeper;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockEvents;
import io.oncegate.core.lock.LockListener;
import io.oncegate.core.lock.LockOptions;
import io.oncegate.core.lock.Locks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.utils.PathUtils;
import org.apache.curator.utils.ZKPaths;

/**
 * Locks in ZooKeeper, by the queue of Curator's lock recipe. Thread-safe.
 *
 * <ol>
 *   <li>An acquisition creates an ephemeral sequential node below the lock's, which is named by the key's digest. It belongs to
 *       this acquisition, not to a thread. Whoever stands first in the queue holds the lock; everybody else watches the one
 *       in front. A question that does not wait creates no node where it sees a queue.
 *   <li>The fence is the transaction that created the node. The queue's order is the order of creation, so that of two
 *       acquisitions of a key the later one has the higher fence.
 *   <li>Queue and node are read after the creation, and held is only what stands first, belongs to the present session and
 *       was not touched by a break of the connection meanwhile.
 *   <li>The session stands for the lease: no lease, renewal or clock of the options counts, but the longest hold does. A lock
 *       counts as lost as soon as the connection is suspended, when the ensemble has not been heard of for the session's
 *       time-out, and when its node is removed. It stays lost; its node is deleted when the line is back.
 *   <li>Nothing is asked on a thread that Curator could hold up: each question is sent in the background and waited for
 *       within its bound. A node that is created too late is deleted.
 * </ol>
 */
public final class ZooKeeperLocks implements Locks {
    /** Below which node locks are kept, unless said otherwise. */
    public static final String DEFAULT_BASE_PATH = "/oncegate/locks";

    /** How long one question may take, unless said otherwise. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(2);

    private static final String NAME = "zookeeper";

    private final CuratorFramework client;
    private final String basePath;
    private final Threads threads = new Threads();
    private final LocalLines lines = new LocalLines();
    private final LockEvents events;
    private final LockNodes nodes;
    private final Answers answers;
    private final Session session;
    private final EmptyLocks empty;
    private volatile boolean closed;

    private ZooKeeperLocks(Builder builder) {
        this.client = builder.client;
        this.basePath = builder.basePath;
        this.events = new LockEvents(builder.listeners, NAME);
        this.nodes = new LockNodes(client);
        this.answers = new Answers(NAME, builder.timeout);
        this.session = new Session(client, nodes, threads, basePath);
        this.empty = new EmptyLocks(nodes, session, threads);
    }

    /** Locks through this client, which is the caller's to start and to close. */
    public static ZooKeeperLocks of(CuratorFramework client) {
        return builder(client).build();
    }

    /** Begins locks through this client, which is the caller's to start and to close. */
    public static Builder builder(CuratorFramework client) {
        return new Builder(client);
    }

    @Override
    public String name() {
        return NAME;
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException also if the options have a window or take results
     */
    @Override
    public Acquisition<HeldLock> tryAcquire(OperationKey key, LockOptions options) {
        requireUsable(options);
        if (Thread.currentThread().isInterrupted()) {
            throw answers.interrupted(null);
        }
        try {
            return new Attempt(this, key, options, Duration.ZERO).run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw answers.interrupted(e);
        }
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException also if the options have a window or take results
     */
    @Override
    public Acquisition<HeldLock> acquire(OperationKey key, LockOptions options, Duration wait)
            throws InterruptedException {
        requireUsable(options);
        if (wait.isNegative() || wait.compareTo(MAX_WAIT) > 0) {
            throw new IllegalArgumentException("the wait for a lock is 0 to " + MAX_WAIT + ", not " + wait);
        }
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before it was asked for lock " + key);
        }
        return new Attempt(this, key, options, wait).run();
    }

    private void requireUsable(LockOptions options) {
        if (options.window() != null || options.takesResult()) {
            throw new IllegalArgumentException("ZooKeeper's locks have "
                    + (options.window() != null ? "no windows" : "no results")
                    + ": they end with a session and keep nothing; use LockOptions.untilDone() without results here, or"
                    + " locks in Redis or a database");
        }
        if (closed) {
            throw new IllegalStateException("these locks have been closed; make new ones");
        }
        if (client.getState() == CuratorFrameworkState.LATENT) {
            throw new IllegalStateException("the Curator client has not been started; call start() first");
        }
    }

    /** The lock's node. */
    String pathOf(OperationKey key) {
        return ZKPaths.makePath(basePath, key.id().toString());
    }

    /** Deletes an acquisition's node, now or as soon as it can be; true if it was there. */
    CompletableFuture<Boolean> remove(OperationKey key, String node) {
        return session.delete(node).whenComplete((wasThere, failure) -> empty.used(pathOf(key)));
    }

    boolean isClosed() {
        return closed;
    }

    Threads threads() {
        return threads;
    }

    LocalLines lines() {
        return lines;
    }

    LockEvents events() {
        return events;
    }

    LockNodes nodes() {
        return nodes;
    }

    Answers answers() {
        return answers;
    }

    Session session() {
        return session;
    }

    /** {@inheritDoc} Here that is the end of the session. */
    @Override
    public void close() {
        closed = true;
        lines.callAll();
        session.close();
    }

    /** Collects the settings of locks. Not thread-safe. */
    public static final class Builder {
        private static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);

        private final CuratorFramework client;
        private final List<LockListener> listeners = new ArrayList<>();
        private String basePath = DEFAULT_BASE_PATH;
        private Duration timeout = DEFAULT_TIMEOUT;

        private Builder(CuratorFramework client) {
            this.client = client;
        }

        /**
         * Keeps locks below this node, which is created when it is needed, within the client's namespace and with its ACLs. Two
         * services that share an ensemble choose different ones, unless they are to exclude each other.
         *
         * @throws IllegalArgumentException if it is no path, or the root
         */
        public Builder basePath(String path) {
            if (PathUtils.validatePath(path).equals("/")) {
                throw new IllegalArgumentException("locks need a node of their own, such as " + DEFAULT_BASE_PATH);
            }
            this.basePath = path;
            return this;
        }

        /**
         * Waits for this long at most for the ensemble's answer to one question, whatever the client's retry policy does.
         *
         * @param bound 1 ms to 1 min
         */
        public Builder timeout(Duration bound) {
            if (bound.compareTo(Duration.ofMillis(1)) < 0 || bound.compareTo(MAX_TIMEOUT) > 0) {
                throw new IllegalArgumentException("the timeout is 1 ms to " + MAX_TIMEOUT + ", not " + bound);
            }
            this.timeout = bound;
            return this;
        }

        /** Has this told what happens. Several may be given. */
        public Builder listener(LockListener listener) {
            listeners.add(listener);
            return this;
        }

        /** The locks. The ensemble is not asked for anything yet. */
        public ZooKeeperLocks build() {
            ZooKeeperLocks locks = new ZooKeeperLocks(this);
            locks.session.start();
            return locks;
        }
    }
}
