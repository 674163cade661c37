package io.oncegate.core.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.InvalidKeyException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class OperationKeyTest {
    private static final Scope ALICE = Scope.of("alice");

    @Test
    @DisplayName("C31: keys that a collation makes equal have different ids")
    void keysThatACollationMakesEqualDiffer() {
        List<String> values = List.of(
                "abc", "ABC", "abc ", " abc", "ａｂｃ", "e", "é", "e\u0301", "\u00e9x", "a\u0000", "a", "{a}", "a{b}",
                "🎫", "🎫🎫");
        Set<RecordId> ids = new HashSet<>();
        values.forEach(
                value -> ids.add(OperationKey.of("order.create", ALICE, value).id()));
        assertThat(ids).hasSize(values.size());
    }

    @Test
    @DisplayName("C75, C76: operation and scope are part of the key, and never run into one another")
    void operationAndScopeArePartOfTheKey() {
        Set<RecordId> ids = new HashSet<>(List.of(
                OperationKey.of("a", Scope.of("b"), "c").id(),
                OperationKey.of("ab", Scope.of("c"), "c").id(),
                OperationKey.of("a", Scope.of("bc"), "c").id(),
                OperationKey.of("a", Scope.of("b", "c"), "c").id(),
                OperationKey.of("a", Scope.of("c", "b"), "c").id(),
                OperationKey.of("a", Scope.global(), "c").id(),
                OperationKey.of("a", Scope.of("b"), "d").id()));
        assertThat(ids).hasSize(7);
        assertThat(OperationKey.of("a", Scope.of("b"), "c")).isEqualTo(OperationKey.of("a", Scope.of("b"), "c"));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " ", "\t\n", "\u3000", "\ud800", "a\udc00", "\udc00\ud800"})
    @DisplayName("C33, C92: a blank key, or one that is no Unicode text, is refused")
    void refusesWhatIsNoKey(String value) {
        assertThatThrownBy(() -> OperationKey.of("order.create", ALICE, value)).isInstanceOf(InvalidKeyException.class);
    }

    @Test
    @DisplayName("C33: an over-long key is refused, random or repetitive, and never cut")
    void refusesOverLongKeys() {
        String longest = "x".repeat(OperationKey.MAX_VALUE_BYTES);
        assertThat(OperationKey.of("a", ALICE, longest).id())
                .isNotEqualTo(OperationKey.of("a", ALICE, longest.substring(1)).id());
        assertThatThrownBy(() -> OperationKey.of("a", ALICE, longest + "x")).isInstanceOf(InvalidKeyException.class);
        assertThatThrownBy(() -> OperationKey.of("a", ALICE, "é".repeat(OperationKey.MAX_VALUE_BYTES / 2 + 1)))
                .isInstanceOf(InvalidKeyException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "é", "a\n", "-a", "a/b"})
    void refusesOperationNamesThatAreNotPlain(String name) {
        assertThatThrownBy(() -> OperationKey.of(name, ALICE, "k")).isInstanceOf(InvalidKeyException.class);
    }

    @Test
    @DisplayName("C76: a missing scope is an error, never a shared default")
    void refusesMissingScopes() {
        assertThatThrownBy(() -> Scope.of()).isInstanceOf(InvalidKeyException.class);
        assertThatThrownBy(() -> Scope.of(" ")).isInstanceOf(InvalidKeyException.class);
        assertThatThrownBy(() -> Scope.of("tenant", (String) null)).isInstanceOf(InvalidKeyException.class);
        assertThatThrownBy(() -> Scope.of("x".repeat(2000))).isInstanceOf(InvalidKeyException.class);
    }

    @Test
    @DisplayName("C103: no text form shows key or scope")
    void showsNeitherKeyNorScope() {
        OperationKey key = OperationKey.of("order.create", Scope.of("alice@example.org"), "secret-key");
        assertThat(key + key.digest() + key.scope() + key.id()).doesNotContain("alice", "secret");
    }

    @Test
    void readsTheBirthTimeOfUuid7AndUlid() {
        assertThat(bornAt("017F22E2-79B0-7CC3-98C4-DC0C0C07398F")).isEqualTo(Instant.ofEpochMilli(0x017F22E279B0L));
        assertThat(bornAt("01ARZ3NDEKTSV4RRFFQ69G5FAV")).isEqualTo(Instant.parse("2016-07-30T23:54:10.259Z"));
        assertThat(bornAt("01arz3ndektsv4rrffq69g5fav")).isEqualTo(Instant.parse("2016-07-30T23:54:10.259Z"));
        for (String other : List.of(
                "017F22E2-79B0-4CC3-98C4-DC0C0C07398F",
                "017F22E2-79B0-7CC3-18C4-DC0C0C07398F",
                "017F22E2 79B0-7CC3-98C4-DC0C0C07398F",
                "81ARZ3NDEKTSV4RRFFQ69G5FAV",
                "01ARZ3NDEKTSV4RRFFQ69G5FAU",
                "order-1")) {
            assertThat(OperationKey.of("a", ALICE, other).bornAt()).isEmpty();
        }
    }

    private static Instant bornAt(String value) {
        return OperationKey.of("a", ALICE, value).bornAt().orElseThrow();
    }

    @Test
    void idsOfTimedKeysBeginWithTheirTimeAndSurviveTheirTextForm() {
        RecordId timed = OperationKey.of("a", ALICE, "017F22E2-79B0-7CC3-98C4-DC0C0C07398F")
                .id();
        assertThat(timed.toString()).startsWith("017f22e279b0");
        assertThat(timed.toBytes()).hasSize(38);
        RecordId plain = OperationKey.of("a", ALICE, "order-1").id();
        assertThat(plain.toBytes()).hasSize(32);
        for (RecordId id : List.of(timed, plain)) {
            assertThat(RecordId.parse(id.toString())).isEqualTo(id);
            assertThat(RecordId.fromBytes(id.toBytes())).isEqualTo(id);
        }
        assertThatThrownBy(() -> RecordId.fromBytes(new byte[33])).isInstanceOf(IllegalArgumentException.class);
    }
}
