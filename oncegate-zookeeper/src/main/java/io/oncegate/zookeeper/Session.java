package io.oncegate.zookeeper;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;

/**
 * Watches the session that all holds of this process live by. Thread-safe.
 *
 * <p>Two things tell that the session may be over. The client's state: as soon as it is not connected, everything that is
 * held is lost, for good. And the time: the servers end a session when they have not heard of it for its time-out. While
 * something is held this process asks a small question every third of that time; counted from the sending of the last question that was
 * answered, by the monotonic clock, the end that is believed in here is never later than the servers'. So a process that
 * was stopped knows at its first look that it may have lost all, before its connection does.
 *
 * <p>Race: a hold is entered first and the number of breaks compared then; a break is counted first and all holds are lost
 * then. Whatever comes first, the other one sees it.
 */
final class Session implements ConnectionStateListener, CuratorListener {
    private static final int PULSES = 3;

    private final CuratorFramework client;
    private final LockNodes nodes;
    private final Threads threads;
    private final String pulsePath;
    private final Set<ZooKeeperLock> held = ConcurrentHashMap.newKeySet();
    private final Set<CompletableFuture<Boolean>> waiting = ConcurrentHashMap.newKeySet();
    private final Map<String, CompletableFuture<Boolean>> toDelete = new ConcurrentHashMap<>();
    private final AtomicLong breaks = new AtomicLong();
    private final AtomicLong aliveUntil = new AtomicLong(System.nanoTime());
    private final AtomicBoolean beating = new AtomicBoolean();
    private volatile boolean closed;

    Session(CuratorFramework client, LockNodes nodes, Threads threads, String pulsePath) {
        this.client = client;
        this.nodes = nodes;
        this.threads = threads;
        this.pulsePath = pulsePath;
    }

    void start() {
        client.getConnectionStateListenable().addListener(this, Runnable::run);
        try {
            client.getCuratorListenable().addListener(this, Runnable::run);
        } catch (UnsupportedOperationException ofANamespace) {
            // its closing is found by the next look
        }
    }

    /** How often the connection has been lost. */
    long breaks() {
        return breaks.get();
    }

    /** Whether the client is connected, as far as it knows. */
    boolean isConnected() {
        return client.getState() == CuratorFrameworkState.STARTED
                && client.getZookeeperClient().isConnected();
    }

    /** Whether the client has been closed, so that nothing can be asked any more. */
    boolean isOver() {
        return client.getState() == CuratorFrameworkState.STOPPED;
    }

    /** Whether the session is sure to live: connected, and heard of within its time-out. */
    boolean isAlive() {
        return isConnected() && remaining() > 0;
    }

    /** How long the session lives at least, in nanoseconds; zero or less if that is not known. */
    long remaining() {
        return aliveUntil.get() - System.nanoTime();
    }

    /** After how long unheard of the servers end the session. */
    Duration timeout() {
        return Duration.ofMillis(Math.max(1, client.getZookeeperClient().getLastNegotiatedSessionTimeoutMs()));
    }

    /** Whether this is the present session. */
    boolean is(long sessionId) {
        try {
            return client.getZookeeperClient().getZooKeeper().getSessionId() == sessionId;
        } catch (Exception e) {
            return false;
        }
    }

    /** A question that was sent at this time has been answered. */
    void heard(long sentNanos) {
        long end = sentNanos + timeout().toNanos();
        aliveUntil.accumulateAndGet(end, (present, next) -> next - present > 0 ? next : present);
    }

    /**
     * A lock is held from now on.
     *
     * @param since the breaks that had been before it was found to be held
     * @return false, and it is not held, if there was another one, or the locks have been closed
     */
    boolean enter(ZooKeeperLock lock, long since) {
        held.add(lock);
        if (closed || breaks.get() != since || !isAlive()) {
            leave(lock);
            return false;
        }
        beat();
        return true;
    }

    /** A lock is held no more. */
    void leave(ZooKeeperLock lock) {
        held.remove(lock);
        stopWhenIdle();
    }

    /**
     * Deletes a node: now, or when the line is back. Curator would send it again and again, and log each failure.
     *
     * @return true if it was there
     */
    CompletableFuture<Boolean> delete(String node) {
        if (isConnected()) {
            return nodes.delete(node);
        }
        CompletableFuture<Boolean> deleted = new CompletableFuture<>();
        toDelete.put(node, deleted);
        if (isConnected()) {
            deleteWaiting();
        }
        return deleted;
    }

    private void deleteWaiting() {
        for (String node : toDelete.keySet()) {
            CompletableFuture<Boolean> waiter = toDelete.remove(node);
            if (waiter != null) {
                var unused = nodes.delete(node).whenComplete((wasThere, failure) -> {
                    if (failure == null) {
                        waiter.complete(wasThere);
                    } else {
                        waiter.completeExceptionally(failure);
                    }
                });
            }
        }
        stopWhenIdle();
    }

    /** Completes this with true at the next change of the connection's state, and when the locks are closed. */
    void wake(CompletableFuture<Boolean> waiter) {
        waiting.add(waiter);
        if (closed) {
            waiter.complete(true);
        }
    }

    /** Takes {@link #wake} back. */
    void forget(CompletableFuture<Boolean> waiter) {
        waiting.remove(waiter);
    }

    @Override
    public void stateChanged(CuratorFramework of, ConnectionState state) {
        if (!state.isConnected() || state == ConnectionState.READ_ONLY) {
            broken("the connection to the ensemble is " + state);
        } else {
            deleteWaiting();
        }
        waiting.forEach(waiter -> waiter.complete(true));
    }

    @Override
    public void eventReceived(CuratorFramework of, CuratorEvent event) {
        if (event.getType() == CuratorEventType.CLOSING) {
            broken("its Curator client is being closed");
            toDelete.clear();
            waiting.forEach(waiter -> waiter.complete(true));
        }
    }

    private void broken(String why) {
        breaks.incrementAndGet();
        loseAll(why);
    }

    private void loseAll(String why) {
        held.forEach(lock -> lock.lose(why));
    }

    private void beat() {
        if (beating.compareAndSet(false, true)) {
            schedule();
        }
    }

    private void schedule() {
        long pause = Math.min(timeout().toNanos() / PULSES, Math.max(1, remaining()));
        var unused = threads.later(this::pulse, pause);
    }

    private void pulse() {
        if (held.isEmpty()) {
            beating.set(false);
            if (!held.isEmpty()) {
                beat();
            }
            return;
        }
        if (!isConnected()) {
            loseAll("the connection to the ensemble is down");
        } else if (remaining() <= 0) {
            loseAll("the ensemble has not been heard of for the time-out of the session");
        } else {
            long sent = System.nanoTime();
            var unused = nodes.ping(pulsePath).thenAccept(answered -> heard(sent));
        }
        schedule();
    }

    /** Lets those who wait go. What is held is watched until its end. */
    void close() {
        closed = true;
        waiting.forEach(waiter -> waiter.complete(true));
        stopWhenIdle();
    }

    private void stopWhenIdle() {
        if (closed && held.isEmpty() && toDelete.isEmpty()) {
            client.getConnectionStateListenable().removeListener(this);
            try {
                client.getCuratorListenable().removeListener(this);
            } catch (UnsupportedOperationException ofANamespace) {
                // was not added
            }
        }
    }
}
