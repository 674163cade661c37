package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.key.Scope;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordFormatTest {
    private final RecordFormat format = new RecordFormat("shop:oncegate");

    @Test
    void aRecordsKeyIsThePrefixAndTheDigestInBraces() {
        byte[] key = format.recordKey(Intent.of("{other} key").id());
        assertThat(new String(key, StandardCharsets.US_ASCII)).matches("shop:oncegate:\\{[A-Za-z0-9_-]{43}}");
        assertThat(new String(RecordFormat.resultKey(key), StandardCharsets.US_ASCII))
                .matches("shop:oncegate:\\{[A-Za-z0-9_-]{43}}:result");
    }

    @Test
    void aKeyGivesItsIdBack() {
        RecordId plain = Intent.fresh().id();
        RecordId withBirth = OperationKey.of("order.create", Scope.of("t"), "019a0000-0000-7000-8000-000000000000")
                .id();
        assertThat(format.idOf(format.recordKey(plain))).isEqualTo(plain);
        assertThat(format.idOf(format.recordKey(withBirth))).isEqualTo(withBirth);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{a}", "a{", "a}", "a*", "a?", "a[b]", "a b", "\u00e9", ":a"})
    void aPrefixCannotMoveSlotsOrWidenAPattern(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisOptions.defaults().withPrefix(prefix))
                .withMessageContaining("key prefix");
    }
}
