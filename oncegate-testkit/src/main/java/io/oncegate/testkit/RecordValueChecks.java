package io.oncegate.testkit;

import static io.oncegate.core.spi.HolderAnswer.DONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.key.Scope;
import io.oncegate.core.spi.ClaimAnswer;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.Payload;
import io.oncegate.core.spi.RecordState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Odd keys, and large, binary and missing results. */
abstract class RecordValueChecks extends RecordTimeChecks {
    @Test
    @DisplayName("C31: keys that look, sort or normalise alike are different keys, and hostile ones are just keys")
    void keysThatLookAlikeAreDifferentKeys() {
        String run = UUID.randomUUID().toString();
        List<String> values = OddKeys.values();
        List<ClaimRef> claims = new ArrayList<>();
        for (String value : values) {
            claims.add(Asking.forId(odd(run, value)).grantedAt(store()));
        }
        for (int i = 0; i < values.size(); i++) {
            assertThat(twin().settle(claims.get(i), Settling.succeeded("answer " + i)))
                    .as("key %d", i)
                    .isEqualTo(DONE);
        }
        for (int i = 0; i < values.size(); i++) {
            assertThat(Asking.forId(odd(run, values.get(i))).at(twin()))
                    .as("key %d", i)
                    .isEqualTo(Untimed.replay(RecordState.SUCCEEDED, Settling.payload("answer " + i), false));
        }
    }

    @Test
    void oddKeysHaveDistinctIds() {
        List<String> values = OddKeys.values();
        HashSet<RecordId> ids = new HashSet<>();
        values.forEach(value -> ids.add(odd("run", value)));
        assertThat(ids).hasSameSizeAs(values);
    }

    @ParameterizedTest
    @MethodSource("io.oncegate.testkit.OddKeys#refused")
    void aKeyThatCannotBeUsedIsRefusedBeforeAnyStoreIsAsked(String value) {
        assertThatThrownBy(() -> OperationKey.of(Asking.OPERATION, Scope.global(), value))
                .isInstanceOf(InvalidKeyException.class);
    }

    @Test
    void aKeyThatCarriesItsBirthTimeWorksLikeAnother() {
        String ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
        String uuid = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";
        for (String value : List.of(ulid, uuid)) {
            OperationKey key =
                    OperationKey.of(Asking.OPERATION, Scope.of(UUID.randomUUID().toString()), value);
            assertThat(key.bornAt()).isPresent();
            Asking asking = Asking.forId(key.id());
            ClaimRef claim = asking.grantedAt(store());
            assertThat(asking.anew().at(twin())).isInstanceOf(ClaimAnswer.Held.class);
            assertThat(twin().settle(claim, Settling.refused("no"))).isEqualTo(DONE);
            assertThat(asking.anew().at(store()))
                    .isEqualTo(Untimed.replay(RecordState.REFUSED, Settling.payload("no"), false));
        }
    }

    @Test
    void recordsAreApartByOperationScopeAndValue() {
        String value = UUID.randomUUID().toString();
        List<RecordId> ids = List.of(
                OperationKey.of("order.create", Scope.of("a"), value).id(),
                OperationKey.of("order.cancel", Scope.of("a"), value).id(),
                OperationKey.of("order.create", Scope.of("b"), value).id(),
                OperationKey.of("order.create", Scope.of("a", "b"), value).id(),
                OperationKey.of("order.create", Scope.global(), value).id());
        for (RecordId id : ids) {
            Asking.forId(id).grantedAt(store());
        }
    }

    @Test
    @DisplayName("C48: an empty result is a result, and no result is no rerun")
    void anEmptyResultIsAResultAndNoResultIsNoRerun() {
        comesBack(Payload.of(new byte[0]));
        Asking asking = Asking.forNewKey();
        store().settle(asking.grantedAt(store()), Settling.withoutResult(RecordState.SUCCEEDED));
        assertThat(asking.anew().at(twin())).isEqualTo(Untimed.noResult(RecordState.SUCCEEDED, false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "false", "null", "[]", "{}", "\"\"", " ", "NULL", "(nil)"})
    @DisplayName("C48: a result that means nothing elsewhere comes back as it was")
    void aResultThatMeansNothingElsewhereComesBack(String text) {
        comesBack(Settling.payload(text));
    }

    @Test
    void everyByteComesBackAsItWas() {
        byte[] bytes = new byte[512];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        comesBack(Payload.of(bytes));
        comesBack(Payload.of(new byte[] {0}));
        comesBack(Payload.of(new byte[] {(byte) 0xC3, (byte) 0x28, (byte) 0xFF, (byte) 0xFE, 0, 13, 10}));
    }

    @Test
    void aLargeResultComesBackWhole() {
        byte[] bytes = new byte[Math.min(1024 * 1024, abilities().maxResultBytes())];
        new Random(1).nextBytes(bytes);
        comesBack(Payload.of(bytes));
    }

    private void comesBack(Payload result) {
        Asking asking = Asking.forNewKey();
        ClaimRef claim = asking.grantedAt(store());
        assertThat(store().settle(claim, Settling.succeeded(result, Asking.LONG, Asking.LONG)))
                .isEqualTo(DONE);
        ClaimAnswer replay = Untimed.replay(RecordState.SUCCEEDED, result, false);
        assertThat(asking.anew().at(twin())).isEqualTo(replay);
        assertThat(asking.anew().at(store())).isEqualTo(replay);
        assertThat(twin().settle(claim, Settling.succeeded(result, Asking.LONG, Asking.LONG)))
                .isEqualTo(DONE);
    }

    private static RecordId odd(String run, String value) {
        return OperationKey.of(Asking.OPERATION, Scope.of("odd", run), value).id();
    }
}
