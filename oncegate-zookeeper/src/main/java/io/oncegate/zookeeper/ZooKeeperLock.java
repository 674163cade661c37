package io.oncegate.zookeeper;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockEvent.Kind;
import io.oncegate.core.lock.LockRelease;
import io.oncegate.core.spi.Payload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition of a lock in ZooKeeper. Once lost it stays lost, also if the session survives: its node is deleted then, so
 * that nobody waits for it. Ending and losing may meet; the lock guards what of them came first, and is not held while the
 * ensemble is asked.
 */
final class ZooKeeperLock implements HeldLock {
    private final ZooKeeperLocks locks;
    private final OperationKey key;
    private final String node;
    private final long fence;
    private final long keepUntil;
    private final NodeWatch watch;
    private final ReentrantLock state = new ReentrantLock();
    private volatile boolean lost;
    private volatile boolean ended;
    private @Nullable LockRelease release;
    private @Nullable List<Runnable> callbacks;
    private @Nullable Future<?> longestHold;

    ZooKeeperLock(ZooKeeperLocks locks, OperationKey key, String node, Stat stat, Duration maxHold, NodeWatch watch) {
        this.locks = locks;
        this.key = key;
        this.node = node;
        this.fence = stat.getCzxid();
        this.keepUntil = System.nanoTime() + maxHold.toNanos();
        this.watch = watch;
    }

    /** Begins to watch the node and the longest hold. */
    void keep() {
        watch.handTo(this::look);
        Future<?> task = locks.threads()
                .later(() -> lose("it has been held for its longest time"), keepUntil - System.nanoTime());
        state.lock();
        try {
            longestHold = task;
            if (ended || lost) {
                task.cancel(false);
            }
        } finally {
            state.unlock();
        }
    }

    /** Something has happened to the node. */
    private void look() {
        if (!ended && !lost) {
            var unused = locks.nodes().find(node, watch).thenAccept(this::judge);
        }
    }

    private boolean judge(@Nullable Stat stat) {
        if (stat == null || stat.getCzxid() != fence) {
            lose("its node has been removed");
            return false;
        }
        return true;
    }

    @Override
    public OperationKey key() {
        return key;
    }

    @Override
    public long fence() {
        return fence;
    }

    @Override
    public boolean isHeld() {
        if (ended || lost) {
            return false;
        }
        if (!locks.session().isAlive()) {
            // found here before anybody was told: it must not come back
            lose("the connection is down, or the ensemble has not been heard of for the time-out of the session");
        }
        return !lost;
    }

    @Override
    public Duration remaining() {
        long left = Math.min(locks.session().remaining(), keepUntil - System.nanoTime());
        return isHeld() && left > 0 ? Duration.ofNanos(left) : Duration.ZERO;
    }

    @Override
    public boolean renew() {
        if (!isHeld()) {
            return false;
        }
        long sent = System.nanoTime();
        Stat stat = locks.answers().awaitOne(locks.nodes().find(node, watch));
        locks.session().heard(sent);
        return judge(stat) && isHeld();
    }

    /** It is not held any more: tells so, and removes the node. */
    void lose(String why) {
        List<Runnable> told;
        state.lock();
        try {
            if (ended || lost) {
                return;
            }
            lost = true;
            told = callbacks == null ? List.of() : callbacks;
            callbacks = null;
            if (longestHold != null) {
                longestHold.cancel(false);
            }
        } finally {
            state.unlock();
        }
        locks.session().leave(this);
        var unused = locks.remove(key, node);
        locks.threads().tell(() -> {
            told.forEach(this::run);
            locks.events().warn(Kind.LOST, key, "lost: " + why + "; its holder may still be working");
        });
    }

    private void run(Runnable callback) {
        try {
            callback.run();
        } catch (RuntimeException e) {
            locks.events().failed(key, e);
        }
    }

    @Override
    public void onLost(Runnable callback) {
        state.lock();
        try {
            if (!lost) {
                if (!ended) {
                    callbacks = callbacks == null ? new ArrayList<>(1) : callbacks;
                    callbacks.add(callback);
                }
                return;
            }
        } finally {
            state.unlock();
        }
        run(callback);
    }

    @Override
    public LockRelease release() {
        boolean wasLost;
        state.lock();
        try {
            if (ended) {
                // by another thread, whose question may still be under way
                return release == null ? LockRelease.UNKNOWN : release;
            }
            ended = true;
            wasLost = lost;
            callbacks = null;
            if (longestHold != null) {
                longestHold.cancel(false);
            }
        } finally {
            state.unlock();
        }
        LockRelease told = wasLost ? LockRelease.LOST : end();
        state.lock();
        try {
            release = told;
        } finally {
            state.unlock();
        }
        return told;
    }

    /** There is nobody to take a result here. */
    @Override
    public LockRelease complete(@Nullable Payload result) {
        return release();
    }

    /** Deletes the node, also on a thread that is to stop: the lock must not outlive it. */
    private LockRelease end() {
        boolean interrupted = Thread.interrupted();
        long breaks = locks.session().breaks();
        try {
            boolean wasThere = locks.answers().awaitOne(locks.remove(key, node));
            if (wasThere) {
                return LockRelease.DONE;
            }
            if (locks.session().breaks() == breaks) {
                locks.events().warn(Kind.LOST, key, "had been lost when it was ended; its holder worked without it");
                return LockRelease.LOST;
            }
            // gone, but perhaps by a deletion of our own whose answer was lost
            return unknown("the connection was lost meanwhile");
        } catch (StoreUnavailableException e) {
            return unknown(e.getMessage());
        } finally {
            locks.session().leave(this);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private LockRelease unknown(@Nullable String why) {
        locks.events()
                .warn(
                        Kind.RELEASE_UNKNOWN,
                        key,
                        "could not be ended for sure, and is free with its session at the latest: " + why);
        return LockRelease.UNKNOWN;
    }
}
