package io.oncegate.redis;

import static io.oncegate.core.spi.RecordMachine.micros;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.protocol.CommandArgs;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.BirthRule;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.core.spi.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Keeps records in Redis. Thread-safe.
 *
 * <p>Protocol:
 *
 * <ol>
 *   <li>Each call is one script on one record, and one round trip: the script reads the record and Redis's clock, decides as
 *       {@link io.oncegate.core.spi.RecordMachine}, writes the record and answers. A refused call writes nothing.
 *   <li>Scripts are called by digest. A server that does not know one (after a restart, a flush, a fail-over, or another
 *       node) is sent its text within the same call.
 *   <li>A record is one compact string. Its name carries the digest of the key alone, in braces, so that no text of a
 *       caller's has an influence on the cluster slot. A result that goes before its record, or before the purge margin, is
 *       a string of its own, in the same slot and with its own time to live; it carries the fence and the attempt that it
 *       belongs to.
 *   <li>Whether a record answers is decided by the times stored in it. Its time to live in Redis is at least as long, and
 *       lasts until the clock has passed the fence by {@link RedisOptions#purgeMargin}: it is never missing. A record whose
 *       outcome is unknown gets the longest that a record can have, to the year 2255.
 *   <li>A record of a format that this version does not know ends the call in {@link StoreUnavailableException}.
 * </ol>
 *
 * <p>A Redis may lose what it has confirmed: at a restart without an append-only file that is synced at every write, at a
 * fail-over to a replica that lags behind, and under an {@linkplain RedisBackend#evictionPolicy eviction policy}. The key is
 * then free, and its effect is guarded by the data gate alone. After a fail-over the new master's clock counts; fences rise
 * as long as it is not behind the old one's by more than the time since the claim.
 */
public final class RedisRecordStore implements RecordStore, RecordBrowser {
    /** The most calls to SCAN that a page may take. */
    private static final int SCANS = 16;

    private static final byte[] NOTHING = {};

    private final RedisBackend redis;
    private final RecordFormat format;
    private final long margin;
    private final RedisScript claim;
    private final RedisScript renew;
    private final RedisScript settle;
    private final RedisScript release;
    private final RedisScript forget;
    private final RedisScript peek;

    /** A store on this Redis, which the caller owns. */
    public RedisRecordStore(RedisBackend redis) {
        this(redis, name -> RedisScript.of(RedisScript.text(name, redis.options())));
    }

    RedisRecordStore(RedisBackend redis, Function<String, RedisScript> scripts) {
        this.redis = redis;
        this.format = new RecordFormat(redis.options().prefix());
        this.margin = micros(redis.options().purgeMargin());
        this.claim = scripts.apply("claim");
        this.renew = scripts.apply("renew");
        this.settle = scripts.apply("settle");
        this.release = scripts.apply("release");
        this.forget = scripts.apply("forget");
        this.peek = scripts.apply("peek");
    }

    @Override
    public String name() {
        return redis.name();
    }

    @Override
    public ClaimAnswer claim(ClaimRequest request) {
        byte[] key = format.recordKey(request.id());
        long lease = micros(request.lease());
        long answers = lease + micros(request.retention());
        return run(
                claim,
                args -> {
                    twoKeys(args, key)
                            .add(RecordFormat.claimed(request))
                            .add(RecordFormat.sized(request.fingerprint()))
                            .add(request.operation().getBytes(StandardCharsets.US_ASCII))
                            .add(lease)
                            .add(answers)
                            .add(timeToLive(answers))
                            .add(request.maxAsks());
                    BirthRule birth = request.birth();
                    if (birth != null) {
                        args.add(TimeUnit.MILLISECONDS.toMicros(birth.bornAt().toEpochMilli()))
                                .add(micros(birth.limit()))
                                .add(micros(birth.tolerance()));
                    }
                },
                reply -> RecordFormat.claimAnswer(reply, request.attempt()));
    }

    @Override
    public HolderAnswer renew(ClaimRef held, Duration lease) {
        byte[] key = format.recordKey(held.id());
        return run(
                renew,
                args -> args.add(1).addKey(key).add(RecordFormat.holder(held)).add(micros(lease)),
                RecordFormat::holderAnswer);
    }

    @Override
    public HolderAnswer settle(ClaimRef held, Settlement settlement) {
        byte[] key = format.recordKey(held.id());
        boolean unknown = settlement.state() == RecordState.UNKNOWN;
        Payload result = unknown ? null : settlement.result();
        long retention = notNegative(settlement.retention());
        long resultRetention = notNegative(settlement.resultRetention());
        return run(
                settle,
                args -> {
                    twoKeys(args, key)
                            .add(RecordFormat.holder(held))
                            .add(RecordFormat.unleased(settlement.state()))
                            .add(RecordFormat.kept(result, retention, resultRetention, margin))
                            .add(retention)
                            .add(timeToLive(retention));
                    if (unknown) {
                        args.add(NOTHING).add(resultRetention);
                    } else if (result != null) {
                        args.add(result.bytes()).add(resultRetention);
                    }
                },
                RecordFormat::holderAnswer);
    }

    @Override
    public HolderAnswer release(ClaimRef held) {
        byte[] key = format.recordKey(held.id());
        return run(release, args -> args.add(1).addKey(key).add(RecordFormat.holder(held)), RecordFormat::holderAnswer);
    }

    @Override
    public ForgetAnswer forget(RecordId id) {
        byte[] key = format.recordKey(id);
        return run(forget, args -> twoKeys(args, key), RecordFormat::forgetAnswer);
    }

    @Override
    public Optional<Entry> find(RecordId id) {
        byte[] key = format.recordKey(id);
        return run(
                peek,
                args -> twoKeys(args, key),
                reply -> RecordFormat.found(reply) ? Optional.of(RecordFormat.entry(id, reply)) : Optional.empty());
    }

    /**
     * {@inheritDoc}
     *
     * <p>Goes through the servers one by one with SCAN: a record that is moved to another server meanwhile, by resharding or
     * a fail-over, may be shown twice or not at all.
     */
    @Override
    public Page browse(Query query) {
        BrowseCursor from = BrowseCursor.parse(query.after());
        return redis.call(deadline -> {
            List<RedisLink.Node> nodes = redis.link().nodes(deadline);
            BrowseCursor at = from.on(nodes);
            List<Entry> entries = List.of();
            for (int scans = 0; scans < SCANS && entries.isEmpty() && at != null; scans++) {
                KeyScanCursor<byte[]> found = deadline.await(at.commands(nodes)
                        .scan(
                                ScanCursor.of(at.position()),
                                ScanArgs.Builder.matches(format.pattern()).limit(query.limit())));
                entries = look(found.getKeys(), query, deadline);
                at = at.after(found, nodes);
            }
            return new Page(entries, at == null ? null : at.text());
        });
    }

    private List<Entry> look(List<byte[]> keys, Query query, Deadline deadline) {
        List<RedisBackend.Sent> looks = new ArrayList<>();
        for (byte[] key : keys) {
            looks.add(redis.send(peek, args -> twoKeys(args, key), deadline));
        }
        // SCAN may show a key twice
        Set<Entry> entries = new LinkedHashSet<>();
        for (int i = 0; i < looks.size(); i++) {
            byte[] reply = looks.get(i).await(deadline);
            if (RecordFormat.found(reply)) {
                Entry entry = RecordFormat.entry(format.idOf(keys.get(i)), reply);
                if ((query.operation() == null || query.operation().equals(entry.operation()))
                        && (query.state() == null || query.state() == entry.state())) {
                    entries.add(entry);
                }
            }
        }
        return List.copyOf(entries);
    }

    private <T> T run(RedisScript script, Consumer<CommandArgs<byte[], byte[]>> arguments, Function<byte[], T> answer) {
        return redis.call(
                deadline -> answer.apply(redis.send(script, arguments, deadline).await(deadline)));
    }

    private static CommandArgs<byte[], byte[]> twoKeys(CommandArgs<byte[], byte[]> args, byte[] recordKey) {
        return args.add(2).addKey(recordKey).addKey(RecordFormat.resultKey(recordKey));
    }

    /** Milliseconds that a record lasts whose fence is no higher than the present time; rounded up, and one for Redis. */
    private long timeToLive(long answers) {
        return Math.max(answers, margin) / 1_000 + 2;
    }

    /** What is left of a time may have come to less than nothing: then it is over. */
    private static long notNegative(Duration duration) {
        return Math.max(0, micros(duration));
    }
}
