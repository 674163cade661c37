package io.oncegate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.MismatchException;
import io.oncegate.core.memory.MemoryRecordStore;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.annotation.AliasFor;

/** Keys, scopes and fingerprints as the expressions of an annotation say them. */
class KeysTest {
    record Request(Object id, int amount) {}

    record OrderId(String tenant, Long number) {}

    static final class Identity {}

    sealed interface Means permits Card, Voucher {}

    record Card(String number) implements Means {}

    record Voucher(String number) implements Means {}

    /** Composed: sets the mode and the scope, passes the key on. */
    @Retention(RetentionPolicy.RUNTIME)
    @Idempotent(operation = "keys.composed", scope = Idempotent.GLOBAL, lease = "${test.lease}")
    @interface Once {
        @AliasFor(annotation = Idempotent.class, attribute = "key")
        String value();
    }

    static class Keys {
        private final AtomicInteger runs = new AtomicInteger();

        int runs() {
            return runs.get();
        }

        @Idempotent(operation = "keys.id", key = "#request.id")
        public int byId(Request request) {
            return runs.incrementAndGet();
        }

        @Idempotent(operation = "keys.concatenated", key = "'order-' + #p0.id + '-' + #a0.amount")
        public int concatenated(Request request) {
            return runs.incrementAndGet();
        }

        @Idempotent(operation = "keys.joined", key = "T(java.lang.String).join('-', 'order', #id)")
        public int joined(String id) {
            return runs.incrementAndGet();
        }

        @Idempotent(operation = "keys.inside", key = "('order-' + #id).toUpperCase()")
        public int inside(Object id) {
            return runs.incrementAndGet();
        }

        @Idempotent(operation = "keys.content", key = "'order-' + #id", fingerprint = Idempotent.KEY_ALONE)
        public int content(Object id) {
            return runs.incrementAndGet();
        }

        @Idempotent(operation = "keys.chosen", key = "#id != null ? 'id-' + #id : 'name-' + #name")
        public int chosen(String id, String name) {
            return runs.incrementAndGet();
        }

        @Idempotent(operation = "keys.optional", key = "#id", keyRequired = false)
        public int optional(String id) {
            return runs.incrementAndGet();
        }

        @Idempotent(operation = "keys.fields", key = "#id", fingerprint = "{amount: #amount, note: #note}")
        public int fields(String id, BigDecimal amount, String note, Object ignored) {
            return runs.incrementAndGet();
        }

        @Idempotent(operation = "keys.all", key = "#id")
        public int all(String id, Object content) {
            return runs.incrementAndGet();
        }

        @Idempotent(operation = "keys.scoped", key = "#id", scope = "{#tenant, #user}")
        public int scoped(String id, String tenant, String user) {
            return runs.incrementAndGet();
        }

        @Idempotent(operation = "keys.named", key = "#id", scope = "#user")
        public int named(String id, String user) {
            return runs.incrementAndGet();
        }

        @Once("#id")
        public int composed(String id) {
            return runs.incrementAndGet();
        }
    }

    static final List<Object> UNUSABLE = Arrays.asList(
            null,
            "",
            " ",
            "\t\u2003",
            "null",
            Optional.empty(),
            List.of(),
            new int[0],
            Arrays.asList("a", null),
            new Object[] {null},
            new OrderId("a", null),
            new Identity(),
            new Object(),
            (Runnable) () -> {},
            List.of(new Object()));

    private static AnnotationConfigApplicationContext context;
    private static Keys keys;
    private static MemoryRecordStore store;

    @BeforeAll
    static void start() {
        context = Setup.memory(Map.of("test.lease", "45s"), Keys.class);
        keys = context.getBean(Keys.class);
        store = context.getBean(MemoryRecordStore.class);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @ParameterizedTest
    @FieldSource("UNUSABLE")
    @DisplayName("C92: a key that many would share is an error that names method and expression, and stores nothing")
    void anUnusableKeyIsRefused(Object id) {
        long before = store.size();
        int runs = keys.runs();
        assertThatThrownBy(() -> keys.byId(new Request(id, 1)))
                .isInstanceOf(InvalidKeyException.class)
                .hasMessageContaining("Keys.byId(Request)")
                .hasMessageContaining("[#request.id]");
        assertThatThrownBy(() -> keys.concatenated(new Request(id, 1)))
                .isInstanceOf(InvalidKeyException.class)
                .hasMessageContaining("Keys.concatenated(Request)");
        assertThatThrownBy(() -> keys.inside(id)).isInstanceOf(InvalidKeyException.class);
        assertThat(store.size()).isEqualTo(before);
        assertThat(keys.runs()).isEqualTo(runs);
    }

    @Test
    @DisplayName("C92: a null request, and null as a method's argument")
    void nullOnTheWayIsRefused() {
        long before = store.size();
        assertThatThrownBy(() -> keys.byId(null))
                .isInstanceOf(InvalidKeyException.class)
                .hasMessageContaining("a property of null");
        assertThatThrownBy(() -> keys.concatenated(null)).isInstanceOf(InvalidKeyException.class);
        assertThatThrownBy(() -> keys.joined(null)).isInstanceOf(InvalidKeyException.class);
        assertThatThrownBy(() -> keys.chosen(null, null)).isInstanceOf(InvalidKeyException.class);
        assertThat(store.size()).isEqualTo(before);
        assertThat(keys.chosen("1", null)).isEqualTo(keys.chosen("1", null));
        assertThat(keys.chosen(null, "n")).isEqualTo(keys.chosen(null, "n"));
    }

    @Test
    @DisplayName("C92: lists, arrays and records count by their content")
    void contentCountsAndNotIdentity() {
        for (Stream<Object> equal : List.of(
                Stream.<Object>of(new String[] {"a", "b"}, new String[] {"a", "b"}),
                Stream.<Object>of(List.of("a,b"), Arrays.asList("a,b")),
                Stream.<Object>of(new byte[] {1, 2}, new byte[] {1, 2}),
                Stream.<Object>of(new OrderId("t", 1L), new OrderId("t", 1L)),
                Stream.<Object>of(Optional.of("x"), "x"),
                Stream.<Object>of(12L, 12, new BigDecimal("12.0")))) {
            List<Integer> answers = equal.map(keys::content).distinct().toList();
            assertThat(answers).hasSize(1);
        }
        assertThat(keys.content(List.of("a", "b"))).isNotEqualTo(keys.content(List.of("a,b")));
        assertThatThrownBy(() -> keys.inside(List.of("a", "b"))).isInstanceOf(InvalidKeyException.class);
    }

    @Test
    void aKeyThatIsNotRequiredMayBeMissing() {
        assertThat(keys.optional(null)).isNotEqualTo(keys.optional(null));
        assertThat(keys.optional(" ")).isNotEqualTo(keys.optional(" "));
        assertThat(keys.optional("a")).isEqualTo(keys.optional("a"));
    }

    @Test
    void aMapMakesEachEntryAPartOfTheFingerprint() {
        int first = keys.fields("f", new BigDecimal("10"), "x", 1);
        assertThat(keys.fields("f", new BigDecimal("10.0"), "x", new Object())).isEqualTo(first);
        assertThatThrownBy(() -> keys.fields("f", new BigDecimal("99"), "x", 1))
                .isInstanceOfSatisfying(
                        MismatchException.class, e -> assertThat(e.parts()).containsExactly("amount"));
    }

    @Test
    void argumentsAreComparedByTheirContent() {
        int first = keys.all("a", Map.of("x", new int[] {1}, "y", List.of(new OrderId("t", null))));
        assertThat(keys.all("a", Map.of("y", List.of(new OrderId("t", null)), "x", new int[] {1})))
                .isEqualTo(first);
        assertThatThrownBy(() -> keys.all("a", Map.of("x", new int[] {2}))).isInstanceOf(MismatchException.class);
        assertThatThrownBy(() -> keys.all("stream", new java.io.ByteArrayInputStream(new byte[1])))
                .isInstanceOf(InvalidKeyException.class)
                .hasMessageContaining("fingerprint");
    }

    @Test
    @DisplayName("C87: two subtypes with the same content are not the same request")
    void subtypesCount() {
        int first = keys.all("means", List.of(new Card("1")));
        assertThat(keys.all("means", List.of(new Card("1")))).isEqualTo(first);
        assertThatThrownBy(() -> keys.all("means", List.of(new Voucher("1")))).isInstanceOf(MismatchException.class);
        assertThat(keys.content(new Card("1")))
                .as("a key is its content, which outlives the renaming of a class")
                .isEqualTo(keys.content(new Voucher("1")));
    }

    @Test
    void scopesKeepCallersApart() {
        int first = keys.scoped("k", "t1", "alice");
        assertThat(keys.scoped("k", "t1", "bob")).isNotEqualTo(first);
        assertThat(keys.scoped("k", "t1", "alice")).isEqualTo(first);
        assertThatThrownBy(() -> keys.scoped("k", "t1", null)).isInstanceOf(InvalidKeyException.class);
        assertThatThrownBy(() -> keys.named("k", null)).isInstanceOf(CallerUnknownException.class);
        assertThat(keys.named("k", "a")).isNotEqualTo(keys.named("k", "b"));
    }

    @Test
    void aComposedAnnotationPassesItsAttributesOn() {
        assertThat(keys.composed("c")).isEqualTo(keys.composed("c"));
        assertThatThrownBy(() -> keys.composed(null)).isInstanceOf(InvalidKeyException.class);
    }
}
