package io.oncegate.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.protocol.CommandArgs;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.TokenStore;
import io.oncegate.core.token.WhenFull;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Keeps unused strict tokens in Redis. Thread-safe.
 *
 * <p>Protocol:
 *
 * <ol>
 *   <li>A subject has two sorted sets: the unused tokens, each as its id and the digest of its purpose, and the used ones, each
 *       with the attempt that consumed it behind that. A score is the token's end, in microseconds by Redis's clock.
 *   <li>The sets' names carry the subject's digest in braces, so that both are in one cluster slot, which no text of a
 *       caller's can move. They end in {@code :tokens1} and {@code :tokens1:used}; the number is the format's version.
 *   <li>Each call is one script on the two sets, and one round trip. It moves a token from one set to the other, or adds one;
 *       a call that is refused adds nothing. A server that does not know the script is sent it within the same call.
 *   <li>Whoever adds to a set lets it live as long as the last of its tokens, and no longer: no set is without a time to live.
 * </ol>
 *
 * <p>A Redis that loses what it has confirmed, at a restart, a fail-over or by eviction, may forget unused tokens: they are
 * refused. It may also forget that a token was used, where the write was not yet on the replica that takes over: then that
 * token can be used once more. The gates behind this one have to hold that.
 */
public final class RedisTokenStore implements TokenStore {
    private static final byte[] REFUSE = {'1'};
    private static final byte[] DROP = {'0'};
    private static final byte[] SUFFIX = "}:tokens1".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] USED = ":used".getBytes(StandardCharsets.US_ASCII);

    private final RedisBackend redis;
    private final byte[] prefix;
    private final RedisScript issue;
    private final RedisScript consume;
    private final RedisScript giveBack;

    /** A store on this Redis, which the caller owns. */
    public RedisTokenStore(RedisBackend redis) {
        this.redis = redis;
        this.prefix = (redis.options().prefix() + ":{").getBytes(StandardCharsets.US_ASCII);
        this.issue = script("token-issue");
        this.consume = script("token-consume");
        this.giveBack = script("token-give-back");
    }

    private RedisScript script(String name) {
        return RedisScript.of(RedisScript.text(name, redis.options()));
    }

    @Override
    public String name() {
        return redis.name();
    }

    @Override
    public IssueAnswer issue(TokenRef token, Duration ttl, int cap, WhenFull whenFull) {
        return run(
                issue,
                args -> keys(args, token)
                        .add(member(token))
                        .add(RecordMachine.micros(ttl))
                        .add(cap)
                        .add(whenFull == WhenFull.REFUSE ? REFUSE : DROP),
                reply -> switch (reply[0]) {
                    case 'K' -> new IssueAnswer.Kept(ByteBuffer.wrap(reply).getLong(1));
                    case 'F' -> new IssueAnswer.Full();
                    default -> throw unreadable();
                });
    }

    @Override
    public boolean consume(TokenRef token, AttemptId attempt) {
        return run(
                consume,
                args -> keys(args, token)
                        .add(member(token))
                        .add(attempt.toBytes())
                        .add(MAX_USED),
                RedisTokenStore::yes);
    }

    @Override
    public boolean giveBack(TokenRef token, AttemptId attempt) {
        return run(giveBack, args -> keys(args, token).add(member(token)).add(attempt.toBytes()), RedisTokenStore::yes);
    }

    private <T> T run(RedisScript script, Consumer<CommandArgs<byte[], byte[]>> arguments, Function<byte[], T> answer) {
        return redis.call(
                deadline -> answer.apply(redis.send(script, arguments, deadline).await(deadline)));
    }

    private static boolean yes(byte[] reply) {
        return switch (reply[0]) {
            case 'Y' -> true;
            case 'N' -> false;
            default -> throw unreadable();
        };
    }

    private static RedisException unreadable() {
        return new RedisException("the script gave an answer that this version does not know");
    }

    private CommandArgs<byte[], byte[]> keys(CommandArgs<byte[], byte[]> args, TokenRef token) {
        byte[] unused = unusedKey(token);
        return args.add(2).addKey(unused).addKey(usedKey(unused));
    }

    /** The name of the subject's unused tokens. What stands in braces alone says which cluster slot it is in. */
    byte[] unusedKey(TokenRef token) {
        byte[] digest = Base64.getUrlEncoder().withoutPadding().encode(token.subject());
        return ByteBuffer.allocate(prefix.length + digest.length + SUFFIX.length)
                .put(prefix)
                .put(digest)
                .put(SUFFIX)
                .array();
    }

    /** The name of the subject's used tokens, in the same slot. */
    static byte[] usedKey(byte[] unusedKey) {
        return ByteBuffer.allocate(unusedKey.length + USED.length)
                .put(unusedKey)
                .put(USED)
                .array();
    }

    private static byte[] member(TokenRef token) {
        byte[] id = token.idBytes();
        byte[] purpose = token.purpose();
        return ByteBuffer.allocate(id.length + purpose.length)
                .put(id)
                .put(purpose)
                .array();
    }
}
