package io.oncegate.core.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.InvalidKeyException;
import org.junit.jupiter.api.Test;

class ScopeTest {
    @Test
    void aScopeWithinAnotherHasThePartsOfBoth() {
        assertThat(Scope.of("acme", "alice").and("/t/1")).isEqualTo(Scope.of("acme", "alice", "/t/1"));
        assertThat(Scope.of("alice").and("a", "b"))
                .isNotEqualTo(Scope.of("alice").and("b", "a"));
        assertThat(Scope.of("alice").and()).isEqualTo(Scope.of("alice"));
        assertThat(Scope.global().and("/t/1")).isEqualTo(Scope.of("/t/1"));
        assertThat(Scope.global().and()).isEqualTo(Scope.global());
    }

    @Test
    void aPartThatNamesNobodyIsRefused() {
        for (String part : new String[] {"", " ", "x".repeat(Scope.MAX_PART_LENGTH + 1), "\ud800"}) {
            assertThatThrownBy(() -> Scope.of("alice").and(part)).isInstanceOf(InvalidKeyException.class);
        }
    }
}
