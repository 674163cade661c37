package io.oncegate.redis;

import io.oncegate.core.key.RecordId;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.redis.RecordFormat.UnreadableException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.OptionalLong;

/**
 * Names and bytes of locks in Redis. The scripts know them too.
 *
 * <p>A lock is one string value, numbers big endian, times in microseconds since 1970:
 *
 * <pre>
 * offset  bytes
 *      0      1  format version, 1
 *      1      1  1 if somebody waits who is to hear of its end
 *      2      8  lease end; 0 once ended
 *     10      8  window end; 0 without one, or once released
 *     18      8  fence
 *     26     16  attempt
 *     42      8  fence of the run whose result is kept   } only if there
 *     50      8  until when that result is given         } has been one
 * </pre>
 *
 * <p>The result is a value of its own, with its own time to live: the fence of its run (8 bytes), then the result.
 */
final class LockFormat {
    private static final byte[] SUFFIX = "}:lock1".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] RESULT = ":result".getBytes(StandardCharsets.US_ASCII);

    /** What the end of a completed hold writes from offset 1 on: the window stays. */
    private static final byte[] COMPLETED = new byte[9];

    /** What the end of a released hold writes from offset 1 on. */
    private static final byte[] RELEASED = new byte[17];

    private final byte[] prefix;

    LockFormat(String prefix) {
        this.prefix = (prefix + ":{").getBytes(StandardCharsets.US_ASCII);
    }

    /** The key of a lock, and its channel. What stands in braces alone says which cluster slot it is in. */
    byte[] lockKey(RecordId id) {
        byte[] digest = Base64.getUrlEncoder().withoutPadding().encode(id.toBytes());
        byte[] key = Arrays.copyOf(prefix, prefix.length + digest.length + SUFFIX.length);
        System.arraycopy(digest, 0, key, prefix.length, digest.length);
        System.arraycopy(SUFFIX, 0, key, prefix.length + digest.length, SUFFIX.length);
        return key;
    }

    /** The key of the result of a lock's last run that gave one, in the same slot. */
    static byte[] resultKey(byte[] lockKey) {
        byte[] key = Arrays.copyOf(lockKey, lockKey.length + RESULT.length);
        System.arraycopy(RESULT, 0, key, lockKey.length, RESULT.length);
        return key;
    }

    /** What an end writes over what is over by it; not to be changed. */
    static byte[] ended(boolean completed) {
        return completed ? COMPLETED : RELEASED;
    }

    static LockAnswer lockAnswer(byte[] reply) {
        return switch (reply[0]) {
            case 'G' -> new LockAnswer.Granted(number(reply, 1));
            case 'H' -> new LockAnswer.Held(RecordMachine.micros(number(reply, 1)), number(reply, 9), reply[17] == 1);
            case 'R' -> new LockAnswer.Result(Payload.of(Arrays.copyOfRange(reply, 1, reply.length)));
            default -> throw unreadable(reply);
        };
    }

    static HolderAnswer holderAnswer(byte[] reply) {
        return switch (reply[0]) {
            case 'D' -> HolderAnswer.DONE;
            case 'L' -> HolderAnswer.LOST;
            default -> throw unreadable(reply);
        };
    }

    static OptionalLong passed(byte[] reply) {
        return switch (reply[0]) {
            case 'G' -> OptionalLong.of(number(reply, 1));
            case 'L' -> OptionalLong.empty();
            default -> throw unreadable(reply);
        };
    }

    private static long number(byte[] reply, int offset) {
        return ByteBuffer.wrap(reply).getLong(offset);
    }

    private static UnreadableException unreadable(byte[] reply) {
        return new UnreadableException(
                reply[0] == 'V'
                        ? "the lock is of a format that this version cannot read; nothing was done: upgrade this instance"
                        : "the script gave an answer that this version does not know");
    }
}
