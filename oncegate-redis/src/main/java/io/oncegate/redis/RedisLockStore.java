package io.oncegate.redis;

import static io.oncegate.core.spi.RecordMachine.micros;

import io.lettuce.core.protocol.CommandArgs;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps locks in Redis. Thread-safe.
 *
 * <p>Protocol:
 *
 * <ol>
 *   <li>Each call is one script on one lock, and one round trip: the script reads the lock and Redis's clock, decides as {@link
 *       io.oncegate.core.lock.LockMachine}, writes the lock and answers. A refused call writes nothing, but that somebody
 *       waits.
 *   <li>A lock is one string of 42 bytes: lease end, window end, fence, and the attempt that holds it. Its name carries the
 *       digest of the key alone, in braces, so that no text of a caller's has an influence on the cluster slot. A result
 *       is a string of its own in the same slot, named to the script only where one is given or wanted.
 *   <li>Whether it is held is decided by the times stored in it. Its time to live in Redis is at least as long, and lasts
 *       until the clock has passed the fence by {@link RedisOptions#purgeMargin}: an ended lock is written, not deleted, so
 *       that the next fence is higher, also after the clock has stepped back. No key is ever without a time to live.
 *   <li>Renewing, ending and passing on match fence and attempt, and the lease: a lock whose lease is over is lost, also if
 *       nobody else came.
 *   <li>One who is refused and waits leaves a mark. The end of a hold that finds it publishes on the channel that has the
 *       lock's name, and takes the mark away; those who are woken ask again. Without waiters nothing is published. A
 *       signal that is lost costs a poll.
 *   <li>Scripts are called by digest. A server that does not know one (after a restart, a flush, a fail-over, or another
 *       node) is sent its text within the same call.
 *   <li>A call without an answer may have had its effect. Sent again by the same attempt it is answered as if it were sent
 *       once: granted with the same fence, ended, or passed on.
 *   <li>A lock of a format that this version does not know ends the call in {@link StoreUnavailableException}.
 * </ol>
 *
 * <p>A Redis may lose what it has confirmed: at a restart without an append-only file that is synced at every write, at a
 * fail-over to a replica that lags behind, and under an {@linkplain RedisBackend#evictionPolicy eviction policy}. The lock is
 * then granted a second time, with a higher fence, while its first holder works on: the write that compares fences, or the
 * data gate, has to stop that one.
 */
public final class RedisLockStore implements LockStore {
    private static final byte[] YES = {'1'};
    private static final byte[] NO = {'0'};

    private final RedisBackend redis;
    private final LockFormat format;
    private final long margin;
    private final RedisScript acquire;
    private final RedisScript renew;
    private final RedisScript end;
    private final RedisScript pass;

    /** A store on this Redis, which the caller owns. */
    public RedisLockStore(RedisBackend redis) {
        this(redis, name -> RedisScript.of(RedisScript.text(name, redis.options())));
    }

    RedisLockStore(RedisBackend redis, Function<String, RedisScript> scripts) {
        this.redis = redis;
        this.format = new LockFormat(redis.options().prefix());
        this.margin = micros(redis.options().purgeMargin());
        this.acquire = scripts.apply("lock-acquire");
        this.renew = scripts.apply("lock-renew");
        this.end = scripts.apply("lock-end");
        this.pass = scripts.apply("lock-pass");
    }

    @Override
    public String name() {
        return redis.name();
    }

    @Override
    public LockAnswer acquire(LockRequest request) {
        byte[] key = format.lockKey(request.id());
        long lease = micros(request.lease());
        long window = window(request);
        return run(
                acquire,
                args -> {
                    keys(args, key, request.takesResult())
                            .add(request.attempt().toBytes())
                            .add(lease)
                            .add(timeToLive(lease, window));
                    if (window != 0 || request.waits() || request.takesResult()) {
                        args.add(window).add(request.waits() ? YES : NO);
                    }
                    if (request.takesResult()) {
                        args.add(request.metFence());
                    }
                },
                LockFormat::lockAnswer);
    }

    @Override
    public HolderAnswer renew(ClaimRef held, Duration lease) {
        byte[] key = format.lockKey(held.id());
        return run(
                renew,
                args -> keys(args, key, false).add(RecordFormat.holder(held)).add(micros(lease)),
                LockFormat::holderAnswer);
    }

    @Override
    public HolderAnswer end(ClaimRef held, LockEnd ending) {
        byte[] key = format.lockKey(held.id());
        Payload result = ending.result();
        return run(
                end,
                args -> {
                    keys(args, key, result != null)
                            .add(RecordFormat.holder(held))
                            .add(LockFormat.ended(ending.completed()));
                    if (result != null) {
                        args.add(result.bytes()).add(micros(ending.resultRetention()));
                    }
                },
                LockFormat::holderAnswer);
    }

    @Override
    public OptionalLong pass(ClaimRef held, LockRequest next) {
        byte[] key = format.lockKey(held.id());
        long lease = micros(next.lease());
        long window = window(next);
        return run(
                pass,
                args -> {
                    keys(args, key, false)
                            .add(RecordFormat.holder(held))
                            .add(next.attempt().toBytes())
                            .add(lease)
                            .add(timeToLive(lease, window));
                    if (window != 0) {
                        args.add(window);
                    }
                },
                LockFormat::passed);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Needs a connection for signals: the backend opens one if it opens its connections itself, or is given one.
     */
    @Override
    public @Nullable Watch watch(RecordId id, Runnable wake) {
        return redis.watch(format.lockKey(id), wake);
    }

    private <T> T run(RedisScript script, Consumer<CommandArgs<byte[], byte[]>> arguments, Function<byte[], T> answer) {
        return redis.call(
                deadline -> answer.apply(redis.send(script, arguments, deadline).await(deadline)));
    }

    private static CommandArgs<byte[], byte[]> keys(
            CommandArgs<byte[], byte[]> args, byte[] lockKey, boolean withResult) {
        return withResult
                ? args.add(2).addKey(lockKey).addKey(LockFormat.resultKey(lockKey))
                : args.add(1).addKey(lockKey);
    }

    private static long window(LockRequest request) {
        Duration window = request.window();
        return window == null ? 0 : micros(window);
    }

    /** Milliseconds that a lock lasts whose fence is no higher than the present time; rounded up, and one for Redis. */
    private long timeToLive(long lease, long window) {
        return Math.max(Math.max(lease, window), margin) / 1_000 + 2;
    }
}
