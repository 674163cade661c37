package io.oncegate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PerColumnsTest {
    private final List<List<String>> made = new ArrayList<>();
    private final PerColumns<String> texts = new PerColumns<>(columns -> {
        made.add(columns);
        return String.join(",", columns);
    });

    @Test
    void aListOfColumnsIsMadeOnceAndEachOrderIsAListOfItsOwn() {
        for (int i = 0; i < 3; i++) {
            assertThat(texts.of(List.of("a", "b"))).isEqualTo("a,b");
            assertThat(texts.of(List.of("b", "a"))).isEqualTo("b,a");
        }
        assertThat(made).containsExactly(List.of("a", "b"), List.of("b", "a"));
    }

    @Test
    void thoseWhoMakeUpTheirColumnsFillNoMemory() {
        for (int i = 0; i < 1_000; i++) {
            texts.of(List.of("column_" + i));
        }
        made.clear();
        for (int i = 0; i < 1_000; i++) {
            assertThat(texts.of(List.of("column_" + i))).isEqualTo("column_" + i);
        }
        assertThat(made).hasSizeBetween(900, 999);
    }
}
