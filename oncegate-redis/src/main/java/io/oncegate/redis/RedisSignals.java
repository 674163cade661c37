package io.oncegate.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.lock.LockStore.Watch;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signals by publish and subscribe, on one connection for all channels. A channel is subscribed while somebody watches it.
 * Thread-safe.
 *
 * <p>Commands are sent under one lock, in the order in which the table of subscriptions changes, so that a subscribing never
 * overtakes an unsubscribing. Nobody waits under that lock. Lettuce subscribes again after a reconnect; what was published
 * meanwhile is lost, so that those who watch are woken then. An unsubscribing that could not be sent is made up for when the
 * channel is heard of again.
 */
final class RedisSignals implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RedisSignals.class);

    /** For how long nothing is tried after a failure. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final LazyConnection<StatefulRedisPubSubConnection<byte[], byte[]>> connection;
    private final Map<String, Subscription> subscriptions = new ConcurrentHashMap<>();
    private final ReentrantLock sending = new ReentrantLock();
    private final RedisPubSubListener<byte[], byte[]> ear = new Ear();
    private volatile long pausedUntil = System.nanoTime();
    private volatile boolean closed;

    private RedisSignals(
            @Nullable StatefulRedisPubSubConnection<byte[], byte[]> given,
            @Nullable
                    Supplier<? extends CompletionStage<? extends StatefulRedisPubSubConnection<byte[], byte[]>>>
                            connector) {
        if (given != null) {
            given.addListener(ear);
        }
        this.connection = new LazyConnection<>(
                given,
                connector == null
                        ? null
                        : () -> connector.get().thenApply(opened -> {
                            opened.addListener(ear);
                            return opened;
                        }));
    }

    /** Signals on a connection that the caller owns. */
    static RedisSignals on(StatefulRedisPubSubConnection<byte[], byte[]> given) {
        return new RedisSignals(given, null);
    }

    /** Signals on a connection that is opened when it is needed. */
    static RedisSignals by(
            Supplier<? extends CompletionStage<? extends StatefulRedisPubSubConnection<byte[], byte[]>>> connector) {
        return new RedisSignals(null, connector);
    }

    /** Runs this whenever the channel is signalled after this has returned; null if there is no subscription in time. */
    @Nullable
    Watch watch(byte[] channel, Runnable wake, String store, Duration timeout) {
        if (closed || System.nanoTime() - pausedUntil < 0) {
            return null;
        }
        Watcher watcher = null;
        try {
            Deadline deadline = Deadline.in(store, timeout);
            StatefulRedisPubSubConnection<byte[], byte[]> redis = connection.get(deadline);
            // a line that is being opened anew: its commands might wait for it without a bound
            if (redis.isOpen()) {
                watcher = join(redis, channel, wake);
                deadline.await(watcher.subscription.confirmation);
                return watcher;
            }
        } catch (StoreUnavailableException
                | RedisException
                | RejectedExecutionException
                | IllegalStateException failure) {
            log.debug("no signals from {}; those who wait ask from time to time", store, failure);
        }
        if (watcher != null) {
            watcher.close();
        }
        if (!Thread.currentThread().isInterrupted()) {
            pausedUntil = System.nanoTime() + PAUSE.toNanos();
        }
        return null;
    }

    private Watcher join(StatefulRedisPubSubConnection<byte[], byte[]> redis, byte[] channel, Runnable wake) {
        String name = name(channel);
        sending.lock();
        try {
            Subscription subscription = subscriptions.get(name);
            if (subscription == null || subscription.failed()) {
                subscription = new Subscription(channel, redis.async().subscribe(channel));
                subscriptions.put(name, subscription);
            }
            Watcher watcher = new Watcher(subscription, wake);
            subscription.watchers.add(watcher);
            return watcher;
        } finally {
            sending.unlock();
        }
    }

    private void leave(Watcher watcher) {
        Subscription subscription = watcher.subscription;
        sending.lock();
        try {
            if (subscription.watchers.remove(watcher)
                    && subscription.watchers.isEmpty()
                    && subscriptions.remove(name(subscription.channel), subscription)) {
                unsubscribe(subscription.channel);
            }
        } finally {
            sending.unlock();
        }
    }

    private void unsubscribe(byte[] channel) {
        StatefulRedisPubSubConnection<byte[], byte[]> redis = connection.present();
        if (redis != null && redis.isOpen()) {
            try {
                var unused = redis.async().unsubscribe(channel);
            } catch (RedisException | RejectedExecutionException | IllegalStateException down) {
                log.debug("could not unsubscribe; made up for later", down);
            }
        }
    }

    /** Nobody watches this channel any more, but the server does not know it yet. */
    private void dropIfUnwatched(byte[] channel) {
        // never waits: this is Lettuce's thread
        if (sending.tryLock()) {
            try {
                if (!subscriptions.containsKey(name(channel))) {
                    unsubscribe(channel);
                }
            } finally {
                sending.unlock();
            }
        }
    }

    /** How many channels are watched. */
    int channels() {
        return subscriptions.size();
    }

    /** Ends all watching, and closes the connection if it is its own. */
    @Override
    public void close() {
        closed = true;
        subscriptions
                .values()
                .forEach(subscription -> Set.copyOf(subscription.watchers).forEach(Watcher::close));
        StatefulRedisPubSubConnection<byte[], byte[]> redis = connection.present();
        if (redis != null) {
            redis.removeListener(ear);
        }
        connection.close();
    }

    private static String name(byte[] channel) {
        return new String(channel, StandardCharsets.US_ASCII);
    }

    /** A channel that is watched. */
    private static final class Subscription {
        private final byte[] channel;
        private final RedisFuture<Void> confirmation;
        private final Set<Watcher> watchers = ConcurrentHashMap.newKeySet();
        private volatile boolean heard;

        Subscription(byte[] channel, RedisFuture<Void> confirmation) {
            this.channel = channel;
            this.confirmation = confirmation;
        }

        boolean failed() {
            return confirmation.toCompletableFuture().isCompletedExceptionally();
        }

        void wakeAll() {
            watchers.forEach(Watcher::wakeUp);
        }
    }

    /** One who watches. */
    private final class Watcher implements Watch {
        private final Subscription subscription;
        private final Runnable wake;

        Watcher(Subscription subscription, Runnable wake) {
            this.subscription = subscription;
            this.wake = wake;
        }

        void wakeUp() {
            try {
                wake.run();
            } catch (RuntimeException e) {
                log.warn("a waiter could not be woken; it asks by itself after a while", e);
            }
        }

        @Override
        public void close() {
            leave(this);
        }
    }

    /** What the connection hears, on Lettuce's thread. */
    private final class Ear extends RedisPubSubAdapter<byte[], byte[]> {
        @Override
        public void message(byte[] channel, byte[] message) {
            Subscription subscription = subscriptions.get(name(channel));
            if (subscription != null) {
                subscription.wakeAll();
            } else {
                dropIfUnwatched(channel);
            }
        }

        @Override
        public void subscribed(byte[] channel, long count) {
            Subscription subscription = subscriptions.get(name(channel));
            if (subscription == null) {
                dropIfUnwatched(channel);
            } else if (subscription.heard) {
                // subscribed again after a reconnect: a signal may have been lost
                subscription.wakeAll();
            } else {
                subscription.heard = true;
            }
        }
    }
}
