package io.oncegate.testkit;

import io.oncegate.core.key.OperationKey;
import java.util.List;
import java.util.stream.Stream;

/** Key values that have been mixed up, cut off or run as code somewhere. */
final class OddKeys {
    private OddKeys() {}

    /** Usable values, all different. */
    static List<String> values() {
        return List.of(
                "abc",
                "ABC",
                "aBc",
                "abc ",
                " abc",
                "abc  ",
                "abc\t",
                "abc\n",
                "abc\r\n",
                "abc\u0000",
                "a\u0000bc",
                "\u0000",
                "abc\u00a0",
                "abc\u200b",
                "\ufeffabc",
                "\uff41\uff42\uff43",
                "caf\u00e9",
                "cafe\u0301",
                "cafe",
                "\u00df",
                "ss",
                "\u0130",
                "i\u0307",
                "i",
                "I",
                "\u0131",
                "\ufb01",
                "fi",
                "\u8ba2\u5355",
                "\u8a02\u55ae",
                "\ud83c\udfab",
                "\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67",
                "\u0001\u0002\u001f\u007f\u0085",
                "{abc}",
                "{}",
                "}{",
                "'",
                "''",
                "\"",
                "`",
                "%",
                "_",
                "%s%n",
                "\\",
                "\\\\",
                "\\0",
                "?",
                ":1",
                "$1",
                "${key}",
                "#{key}",
                "*",
                "abc:*",
                "../abc",
                "abc/def",
                "abc:def",
                "abc,def",
                "abc;def",
                "'; DROP TABLE oncegate_record; --",
                "' OR '1'='1",
                "\" OR \"\"=\"",
                "redis.call('FLUSHALL')",
                "]] return redis.call('FLUSHALL') --[[",
                "*1\r\n$8\r\nFLUSHALL\r\n",
                "<script>",
                "null",
                "0",
                "00",
                "-1",
                "1e3",
                "1000",
                "x".repeat(10_240),
                "x".repeat(10_239) + "y",
                "x".repeat(255),
                "x".repeat(256),
                "\u8ba2".repeat(OperationKey.MAX_VALUE_BYTES / 3),
                "x".repeat(OperationKey.MAX_VALUE_BYTES));
    }

    /** Values that no key can have. */
    static Stream<String> refused() {
        return Stream.of(
                "",
                " ",
                "\t\r\n",
                "\u3000",
                "\ud83c",
                "\udfab",
                "abc\ud83cdef",
                "\udfab\ud83c",
                "x".repeat(OperationKey.MAX_VALUE_BYTES + 1),
                "\u8ba2".repeat(OperationKey.MAX_VALUE_BYTES / 3 + 1));
    }
}
