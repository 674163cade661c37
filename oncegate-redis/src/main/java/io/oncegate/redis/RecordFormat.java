package io.oncegate.redis;

import io.lettuce.core.RedisException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.ClaimRequest;
import io.oncegate.core.spi.ForgetAnswer;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.core.spi.Inquiry;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.spi.RecordState;
import io.oncegate.core.spi.StoredRecord;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Names and bytes of records in Redis. The scripts know them too.
 *
 * <p>A record is one string value, numbers big endian:
 *
 * <pre>
 * offset  bytes
 *      0      1  format version, 1
 *      1      1  state, RecordState.code()
 *      2      8  lease end, microseconds since 1970; 0 without one
 *     10      8  expires at, microseconds since 1970; 2^53 for never
 *     18      8  fence
 *     26     16  attempt
 *     42      8  result until, microseconds since 1970; 0 without a result. Of an unknown outcome: until when nobody is let
 *                in to find out, or 0
 *     50      1  place of the result: 0 none, 1 here, 2 beside
 *     51      4  size of the result
 *     55      8  retention in microseconds
 *     63      2  size of the operation's name, o
 *     65      2  size of the fingerprint, f
 *     67      f  fingerprint
 *   67+f      o  operation's name
 * 67+f+o         result, if its place is here; of a running or unknown record its inquiry, 13 bytes
 * </pre>
 *
 * <p>A result beside its record is a value of its own, with its own time to live: fence and attempt of the claim that
 * settled (24 bytes), then the result.
 */
final class RecordFormat {
    private static final int FORMAT = 1;
    private static final int STATE = 1;
    private static final int LEASE_END = 2;
    private static final int EXPIRES_AT = 10;
    private static final int FENCE = 18;
    private static final int ATTEMPT = 26;
    private static final int RESULT_UNTIL = 42;
    private static final int PLACE = 50;
    private static final int RESULT_SIZE = 51;
    private static final int RETENTION = 55;
    private static final int OPERATION_SIZE = 63;
    private static final int FINGERPRINT_SIZE = 65;
    private static final int HEAD = 67;

    /** What stands for never; the largest number up to which Lua counts every one. */
    private static final long NEVER = 1L << 53;

    private static final byte[] RESULT_SUFFIX = ":result".getBytes(StandardCharsets.US_ASCII);

    private final byte[] prefix;

    RecordFormat(String prefix) {
        this.prefix = (prefix + ":{").getBytes(StandardCharsets.US_ASCII);
    }

    /** The key of a record. What stands in braces alone says which cluster slot it is in. */
    byte[] recordKey(RecordId id) {
        byte[] digest = Base64.getUrlEncoder().withoutPadding().encode(id.toBytes());
        byte[] key = Arrays.copyOf(prefix, prefix.length + digest.length + 1);
        System.arraycopy(digest, 0, key, prefix.length, digest.length);
        key[key.length - 1] = '}';
        return key;
    }

    /** The key of the result beside a record, in the same slot. */
    static byte[] resultKey(byte[] recordKey) {
        byte[] key = Arrays.copyOf(recordKey, recordKey.length + RESULT_SUFFIX.length);
        System.arraycopy(RESULT_SUFFIX, 0, key, recordKey.length, RESULT_SUFFIX.length);
        return key;
    }

    /** The pattern that matches record keys and no others. */
    String pattern() {
        return new String(prefix, StandardCharsets.US_ASCII) + "*}";
    }

    /**
     * The id in a record's key.
     *
     * @throws IllegalArgumentException if it is no such key
     */
    RecordId idOf(byte[] recordKey) {
        return RecordId.fromBytes(
                Base64.getUrlDecoder().decode(Arrays.copyOfRange(recordKey, prefix.length, recordKey.length - 1)));
    }

    /** Fence and attempt as they stand in the record. */
    static byte[] holder(ClaimRef claim) {
        return ByteBuffer.allocate(Long.BYTES + AttemptId.LENGTH)
                .putLong(claim.fence())
                .putLong(claim.attempt().high())
                .putLong(claim.attempt().low())
                .array();
    }

    /** What a claim writes from the attempt to the size of the operation's name. */
    static byte[] claimed(ClaimRequest request) {
        return ByteBuffer.allocate(FINGERPRINT_SIZE - ATTEMPT)
                .putLong(request.attempt().high())
                .putLong(request.attempt().low())
                .putLong(RETENTION - ATTEMPT, RecordMachine.micros(request.retention()))
                .putShort(OPERATION_SIZE - ATTEMPT, (short) request.operation().length())
                .array();
    }

    /** The fingerprint and its size before it. */
    static byte[] sized(Fingerprint fingerprint) {
        byte[] bytes = fingerprint.toBytes();
        return ByteBuffer.allocate(Short.BYTES + bytes.length)
                .putShort((short) bytes.length)
                .put(bytes)
                .array();
    }

    /** What a settling writes from the version to the lease end: nobody holds it any more. */
    static byte[] unleased(RecordState state) {
        byte[] bytes = new byte[EXPIRES_AT];
        bytes[0] = FORMAT;
        bytes[STATE] = (byte) state.code();
        return bytes;
    }

    /** What a settling writes from the result's place to the retention. A result that would go before its record, or before
     * the margin, is put beside it, so that it can go. */
    static byte[] kept(@Nullable Payload result, long retention, long resultRetention, long margin) {
        boolean none = result == null || resultRetention == 0;
        boolean here = resultRetention >= Math.max(retention, margin);
        return ByteBuffer.allocate(OPERATION_SIZE - PLACE)
                .put((byte) (none ? 0 : here ? 1 : 2))
                .putInt(result == null ? 0 : result.size())
                .putLong(retention)
                .array();
    }

    static ClaimAnswer claimAnswer(byte[] reply, AttemptId asker) {
        return switch (reply[0]) {
            case FORMAT -> replay(reply, asker);
            case 'G' -> new ClaimAnswer.Granted(number(reply), false);
            case 'T' -> new ClaimAnswer.Granted(number(reply), true);
            case 'C' -> reconcile(ByteBuffer.wrap(reply));
            case 'H' -> new ClaimAnswer.Held(RecordMachine.micros(number(reply)));
            case 'M' -> new ClaimAnswer.Mismatch(Fingerprint.fromBytes(Arrays.copyOfRange(reply, 1, reply.length)));
            case 'N' ->
                new ClaimAnswer.NoResult(
                        RecordState.ofCode(reply[1]),
                        reply[2] == 1,
                        RecordMachine.micros(ByteBuffer.wrap(reply).getLong(3)));
            case 'O' -> new ClaimAnswer.OutOfTime(reply[1] == 1);
            case 'U' -> new ClaimAnswer.Unknown(RecordMachine.micros(number(reply)));
            default -> throw unreadable(reply);
        };
    }

    private static ClaimAnswer reconcile(ByteBuffer reply) {
        return new ClaimAnswer.Reconcile(
                reply.getLong(1),
                reply.getInt(1 + Long.BYTES),
                RecordMachine.micros(reply.getLong(1 + Long.BYTES + 4)));
    }

    /** Of a record, its result and the time. */
    private static ClaimAnswer replay(byte[] record, AttemptId asker) {
        ByteBuffer buffer = ByteBuffer.wrap(record);
        int time = record.length - Long.BYTES;
        long until = Math.min(buffer.getLong(RESULT_UNTIL), buffer.getLong(EXPIRES_AT));
        boolean own = buffer.getLong(ATTEMPT) == asker.high() && buffer.getLong(ATTEMPT + Long.BYTES) == asker.low();
        int result = HEAD + buffer.getShort(OPERATION_SIZE) + buffer.getShort(FINGERPRINT_SIZE);
        return new ClaimAnswer.Replay(
                RecordState.ofCode(record[STATE]),
                Payload.of(Arrays.copyOfRange(record, result, time)),
                own,
                RecordMachine.micros(until - buffer.getLong(time)));
    }

    static HolderAnswer holderAnswer(byte[] reply) {
        return switch (reply[0]) {
            case 'D' -> HolderAnswer.DONE;
            case 'L' -> HolderAnswer.LOST;
            case 'S' -> HolderAnswer.SETTLED;
            default -> throw unreadable(reply);
        };
    }

    static ForgetAnswer forgetAnswer(byte[] reply) {
        return switch (reply[0]) {
            case 'F' -> ForgetAnswer.FORGOTTEN;
            case 'A' -> ForgetAnswer.ABSENT;
            case 'H' -> ForgetAnswer.HELD;
            default -> throw unreadable(reply);
        };
    }

    /** Whether a look found a record at all. */
    static boolean found(byte[] reply) {
        return reply[0] != 'A';
    }

    /** What a look found: the result's place, then the record without fingerprint and result, but with an inquiry. */
    static RecordBrowser.Entry entry(RecordId id, byte[] reply) {
        if (reply[0] == 'V') {
            throw unreadable(reply);
        }
        ByteBuffer record = ByteBuffer.wrap(reply, 1, reply.length - 1).slice();
        byte[] operation = new byte[record.getShort(OPERATION_SIZE)];
        record.get(HEAD, operation);
        long expiresAt = record.getLong(EXPIRES_AT);
        RecordState state = RecordState.ofCode(record.get(STATE));
        boolean unknown = state == RecordState.UNKNOWN;
        byte[] inquiry = new byte[unknown ? record.getInt(RESULT_SIZE) : 0];
        record.get(HEAD + operation.length, inquiry);
        return new RecordBrowser.Entry(
                id,
                new String(operation, StandardCharsets.US_ASCII),
                state,
                record.getLong(FENCE),
                record.getLong(LEASE_END),
                expiresAt >= NEVER ? StoredRecord.NEVER : expiresAt,
                reply[0] == 0 ? -1 : record.getInt(RESULT_SIZE),
                inquiry.length == 0 ? 0 : Inquiry.read(inquiry).asked(),
                unknown ? record.getLong(RESULT_UNTIL) : 0);
    }

    private static long number(byte[] reply) {
        return ByteBuffer.wrap(reply).getLong(1);
    }

    private static UnreadableException unreadable(byte[] reply) {
        return new UnreadableException(
                reply[0] == 'V'
                        ? "the record is of a format that this version cannot read; nothing was done: upgrade this instance"
                        : "the script gave an answer that this version does not know");
    }

    /** A record or an answer that cannot be read. Never a reason to run anything. */
    static final class UnreadableException extends RedisException {
        private static final long serialVersionUID = 1L;

        UnreadableException(String message) {
            super(message);
        }
    }
}
