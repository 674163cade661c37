package io.oncegate.zookeeper;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.lock.Acquisition;
import io.oncegate.core.lock.Acquisition.Acquired;
import io.oncegate.core.lock.HeldLock;
import io.oncegate.core.lock.LockEvent.Kind;
import io.oncegate.core.lock.LockOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition of a lock, on the thread that asked for it. It waits for no longer than it was told to, or one question's
 * time where that is longer, and whatever it leaves behind is deleted in the background.
 */
final class Attempt {
    /** Signals of ZooKeeper are not lost; this is for what nobody has thought of. */
    private static final long LONGEST_REST = Duration.ofSeconds(10).toNanos();

    private static final long PAUSE = Duration.ofMillis(250).toNanos();

    private final ZooKeeperLocks locks;
    private final OperationKey key;
    private final LockOptions options;
    private final String lock;
    private final boolean waits;
    private final long waitEnd;
    private final long hardEnd;
    private @Nullable StoreUnavailableException down;

    Attempt(ZooKeeperLocks locks, OperationKey key, LockOptions options, Duration wait) {
        this.locks = locks;
        this.key = key;
        this.options = options;
        this.lock = locks.pathOf(key);
        this.waits = !wait.isZero();
        long start = System.nanoTime();
        this.waitEnd = start + wait.toNanos();
        this.hardEnd =
                start + Math.max(wait.toNanos(), locks.answers().timeout().toNanos());
    }

    /** What came of looking at the queue. */
    private enum Place {
        HELD,
        BEHIND,
        GONE
    }

    /** A node of this attempt's own. */
    private final class Entry {
        final String node;
        final Signal signal = new Signal(locks.session());
        final NodeWatch watch = new NodeWatch(signal::fire);

        @Nullable
        ZooKeeperLock hold;

        @Nullable
        String front;

        boolean left;

        Entry(String node) {
            this.node = node;
        }

        /** Looks whether it is its turn, and takes it. */
        Place look() throws InterruptedException {
            signal.reset();
            long breaks = locks.session().breaks();
            long sent = System.nanoTime();
            CompletableFuture<List<String>> queue = locks.nodes().queue(lock);
            CompletableFuture<@Nullable Stat> own = locks.nodes().find(node, watch);
            List<String> names = locks.answers().await(queue, answerEnd());
            Stat stat = locks.answers().await(own, answerEnd());
            locks.session().heard(sent);
            down = null;
            if (stat == null || !locks.session().is(stat.getEphemeralOwner())) {
                return Place.GONE;
            }
            front = before(names);
            if (front != null) {
                return Place.BEHIND;
            }
            ZooKeeperLock held = new ZooKeeperLock(locks, key, node, stat, options.maxHold(), watch);
            if (!locks.session().enter(held, breaks)) {
                return Place.GONE;
            }
            hold = held;
            return Place.HELD;
        }

        private @Nullable String before(List<String> names) {
            try {
                return locks.nodes().before(names, node);
            } catch (KeeperException.NoNodeException e) {
                throw locks.answers().down("the lock's node has gone; try again", e);
            } catch (Exception e) {
                throw locks.answers().down("the lock's queue cannot be read", e);
            }
        }

        /** Has left the queue when this returns, if the ensemble answers: nobody is refused because of one who is refused. */
        void leave() throws InterruptedException {
            left = true;
            try {
                boolean unused = locks.answers()
                        .await(
                                locks.remove(key, node),
                                System.nanoTime() + locks.answers().timeout().toNanos());
            } catch (StoreUnavailableException e) {
                // it is deleted as soon as it can be
            }
        }

        /** Leaves nothing behind but what is held. */
        void end() {
            if (hold == null && !left) {
                left = true;
                var unused = locks.remove(key, node);
            }
        }

        /** Waits until something has changed in front, or there is reason to look again. */
        void rest() throws InterruptedException {
            String ahead = lock + "/" + front;
            NodeWatch aheadWatch = new NodeWatch(signal::fire);
            try {
                if (locks.answers().await(locks.nodes().watch(ahead, aheadWatch), answerEnd())) {
                    boolean unused = signal.await(Math.min(waitEnd, System.nanoTime() + LONGEST_REST));
                }
            } finally {
                // the one in front may stay for long, and many may wait for it one after the other
                if (!aheadWatch.hasFired() && locks.session().isConnected()) {
                    locks.nodes().unwatch(ahead, aheadWatch);
                }
            }
        }
    }

    Acquisition<HeldLock> run() throws InterruptedException {
        if (!waits) {
            return inTurn();
        }
        if (!locks.lines().enter(key, waitEnd - System.nanoTime())) {
            if (locks.isClosed() || locks.session().isConnected()) {
                return refused();
            }
            throw unavailable(locks.answers().down("it cannot be reached; look at the ensemble and the network", null));
        }
        try {
            return inTurn();
        } finally {
            locks.lines().leave(key);
        }
    }

    private Acquisition<HeldLock> inTurn() throws InterruptedException {
        while (true) {
            if (locks.isClosed()) {
                return refused();
            }
            try {
                Acquisition<HeldLock> answer = once();
                if (answer != null) {
                    return answer;
                }
                down = locks.answers().down("the session changed meanwhile; try again", null);
            } catch (StoreUnavailableException e) {
                down = e;
            }
            pauseOrFail();
        }
    }

    /** One node's life; null if it has gone. */
    private @Nullable Acquisition<HeldLock> once() throws InterruptedException {
        awaitConnection();
        if (!waits
                && !locks.answers()
                        .await(locks.nodes().freshQueue(lock), answerEnd())
                        .isEmpty()) {
            return refused();
        }
        Entry entry = new Entry(create());
        try {
            while (true) {
                Place place = Place.BEHIND;
                try {
                    place = entry.look();
                    if (place == Place.BEHIND && waits && !isOver()) {
                        entry.rest();
                    }
                } catch (StoreUnavailableException e) {
                    down = e;
                    pauseOrFail();
                    continue;
                }
                if (place == Place.HELD) {
                    return acquired(entry);
                } else if (place == Place.GONE) {
                    return null;
                } else if (!waits || isOver() || locks.isClosed()) {
                    entry.leave();
                    return refused();
                }
            }
        } finally {
            entry.end();
        }
    }

    /** A node at the end of the queue; one that comes too late is deleted. */
    private String create() throws InterruptedException {
        CompletableFuture<String> created =
                locks.nodes().create(lock, key.operation().getBytes(StandardCharsets.UTF_8));
        boolean taken = false;
        try {
            String node = locks.answers().await(created, answerEnd());
            taken = true;
            return node;
        } finally {
            if (!taken) {
                var unused = created.thenAccept(this::removeLate);
            }
        }
    }

    private void removeLate(String node) {
        var unused = locks.remove(key, node);
    }

    /** Sends nothing into a line that is known to be down: it would stay in Curator's queue. */
    private void awaitConnection() throws InterruptedException {
        Signal change = new Signal(locks.session());
        while (!locks.session().isConnected()) {
            if (locks.isClosed()) {
                return;
            }
            if (hardEnd - System.nanoTime() <= 0 || locks.session().isOver()) {
                throw locks.answers().down("it cannot be reached; look at the ensemble and the network", null);
            }
            change.reset();
            boolean unused = change.await(Math.min(hardEnd, System.nanoTime() + PAUSE));
        }
    }

    /** By when a question that is asked now is answered, or its connection known to be down. */
    private long answerEnd() {
        long usual = locks.answers().timeout().plus(locks.session().timeout()).toNanos();
        return Math.min(hardEnd, System.nanoTime() + usual);
    }

    private boolean isOver() {
        return waitEnd - System.nanoTime() <= 0;
    }

    private void pauseOrFail() throws InterruptedException {
        StoreUnavailableException failure = down;
        if (failure != null && (isOver() || locks.session().isOver())) {
            throw unavailable(failure);
        }
        boolean unused = new Signal(locks.session()).await(Math.min(waitEnd, System.nanoTime() + PAUSE));
    }

    private StoreUnavailableException unavailable(StoreUnavailableException failure) {
        locks.events().tell(Kind.STORE_DOWN, key);
        return failure;
    }

    private Acquisition<HeldLock> acquired(Entry entry) {
        ZooKeeperLock held = Objects.requireNonNull(entry.hold);
        held.keep();
        locks.events().tell(Kind.ACQUIRED, key);
        return new Acquired<>(held);
    }

    private Acquisition<HeldLock> refused() {
        locks.events().tell(Kind.REFUSED, key);
        return new Acquisition.Refused<>(key, locks.session().timeout());
    }
}
