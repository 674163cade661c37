package io.oncegate.jackson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.codec.ResultCodecException;
import io.oncegate.core.codec.TypeRef;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryRecordStore;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;

@DisplayName("C95: stored results come back as they were")
class JacksonCodecTest {
    private final JacksonCodec codec = new JacksonCodec();

    private Object again(Object value, Type type) {
        assertThat(codec.supports(type)).as("%s", type).isTrue();
        return codec.decode(codec.encode(value, type), type);
    }

    @Test
    void bringsBackEveryKindOfResult() {
        assertThat(again(Samples.orders(), Samples.ORDERS)).isEqualTo(Samples.orders());
        assertThat(again(Samples.prices(), Samples.PRICES)).isEqualTo(Samples.prices());
        assertThat(again(Samples.page(), Samples.PAGE)).isEqualTo(Samples.page());
        assertThat(again(new Samples.Card("4242"), Samples.Payment.class)).isEqualTo(new Samples.Card("4242"));
        Type payments = new TypeRef<List<Samples.Payment>>() {}.type();
        List<Samples.Payment> mixed = List.of(new Samples.Card("1"), new Samples.Cash(new BigDecimal("0.50")));
        assertThat(again(mixed, payments)).isEqualTo(mixed);
        assertThat(again(new byte[] {1, 0, -1}, byte[].class)).isEqualTo(new byte[] {1, 0, -1});
        assertThat(again(new BigDecimal("1.10"), BigDecimal.class)).isEqualTo(new BigDecimal("1.10"));
        assertThat(again(Duration.ofMillis(1), Duration.class)).isEqualTo(Duration.ofMillis(1));
    }

    @Test
    @DisplayName("C48: zero, false, empty and absent values come back as themselves")
    void bringsBackEmptyValues() {
        assertThat(again(0, Integer.class)).isEqualTo(0);
        assertThat(again(false, Boolean.class)).isEqualTo(false);
        assertThat(again("", String.class)).isEqualTo("");
        assertThat(again("\ud800", String.class)).isEqualTo("\ud800");
        assertThat(again(List.of(), Samples.ORDERS)).isEqualTo(List.of());
        assertThat(again(Map.of(), Samples.PRICES)).isEqualTo(Map.of());
        Type optional = new TypeRef<Optional<String>>() {}.type();
        assertThat(again(Optional.empty(), optional)).isEqualTo(Optional.empty());
        assertThat(again(Optional.of(""), optional)).isEqualTo(Optional.of(""));
        Type texts = new TypeRef<List<String>>() {}.type();
        List<String> nulls = new ArrayList<>(Arrays.asList(null, "a", null));
        assertThat(again(nulls, texts)).isEqualTo(nulls);
    }

    @Test
    void keepsNumbersExact() {
        for (double value : new double[] {
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY,
            -0.0,
            Double.MIN_VALUE,
            Double.MAX_VALUE,
            0.1
        }) {
            assertThat(again(value, Double.class)).isEqualTo(value);
            Type list = new TypeRef<List<Double>>() {}.type();
            assertThat(again(List.of(value), list)).isEqualTo(List.of(value));
        }
        BigInteger huge = BigInteger.TEN.pow(5000).subtract(BigInteger.ONE);
        assertThat(again(huge, BigInteger.class)).isEqualTo(huge);
        BigDecimal fine = new BigDecimal(huge, 4000);
        assertThat(again(fine, BigDecimal.class)).isEqualTo(fine);
        assertThat(again(Long.MIN_VALUE, Long.class)).isEqualTo(Long.MIN_VALUE);
        JsonNode tree = JsonMapper.builder().build().createObjectNode().put("price", new BigDecimal("1.10"));
        assertThat(again(tree, JsonNode.class).toString()).isEqualTo("{\"price\":1.10}");
    }

    @Test
    void keepsOffsetsAndZones() {
        OffsetDateTime offset = OffsetDateTime.parse("2026-10-25T02:30:00.000000001+02:00");
        assertThat(again(offset, OffsetDateTime.class)).isEqualTo(offset);
        ZonedDateTime zoned = ZonedDateTime.parse("2026-10-25T02:30+01:00[Europe/Berlin]");
        assertThat(again(zoned, ZonedDateTime.class)).isEqualTo(zoned);
    }

    @Test
    void storesEnumsByTheirName() {
        assertThat(new String(codec.encode(Samples.Status.PAID, Samples.Status.class), UTF_8))
                .isEqualTo("\"PAID\"");
        assertThat(again(Samples.Status.PAID, Samples.Status.class)).isEqualTo(Samples.Status.PAID);
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    interface ByClass {}

    record Holder(ByClass value) {}

    record Loader(Class<?> type) {}

    interface Unnamed {}

    @Test
    void neverLoadsClassesThatDataNames() {
        assertThat(codec.supports(ByClass.class)).isFalse();
        assertThat(codec.supports(Holder.class)).isFalse();
        assertThat(codec.supports(Loader.class)).isFalse();
        assertThat(codec.supports(Class.class)).isFalse();
        assertUnreadable("{\"type\":\"java.lang.Runtime\"}", Loader.class);
        JacksonCodec typed = new JacksonCodec(JsonMapper.builder()
                .activateDefaultTyping(
                        BasicPolymorphicTypeValidator.builder()
                                .allowIfSubType(Object.class)
                                .build(),
                        DefaultTyping.NON_FINAL)
                .build());
        byte[] stored = typed.encode(Samples.orders(), Samples.ORDERS);
        assertThat(new String(stored, UTF_8)).doesNotContain("java.", "oncegate");
        assertThat(typed.decode(stored, Samples.ORDERS)).isEqualTo(Samples.orders());
    }

    @Test
    void refusesTypesThatCouldNotBeRebuilt() {
        for (Type type : List.of(
                Object.class,
                Void.class,
                Unnamed.class,
                new TypeRef<List<Object>>() {}.type(),
                new TypeRef<List<?>>() {}.type(),
                new TypeRef<Map<String, Unnamed>>() {}.type())) {
            assertThat(codec.supports(type)).as("%s", type).isFalse();
        }
        for (Type type :
                List.of(String.class, int[].class, new TypeRef<Set<Samples.Status>>() {}.type(), JsonNode.class)) {
            assertThat(codec.supports(type)).as("%s", type).isTrue();
        }
    }

    @Test
    void refusesValuesThatHaveNoForm() {
        assertThatThrownBy(() -> codec.encode(new Object(), Object.class)).isInstanceOf(ResultCodecException.class);
        List<Object> loop = new ArrayList<>();
        loop.add(loop);
        assertThatThrownBy(() -> codec.encode(loop, List.class)).isInstanceOf(ResultCodecException.class);
        assertThatThrownBy(() -> codec.encode("text", Samples.OrderDto.class)).isInstanceOf(ResultCodecException.class);
    }

    record V2(String name, Optional<String> added, String addedText, List<String> addedList) {}

    record V2Primitive(String name, int added) {}

    record Strict(String name) {
        Strict {
            if (name.startsWith("old")) {
                throw new IllegalArgumentException("secret " + name);
            }
        }
    }

    @Test
    void readsOlderEntriesAsTheTypeAllows() {
        String old = "{\"name\":\"n\",\"removed\":{\"x\":[1]}}";
        assertThat(codec.decode(old.getBytes(UTF_8), V2.class)).isEqualTo(new V2("n", Optional.empty(), null, null));
        assertUnreadable(old, V2Primitive.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "null",
                "1",
                "\"x\"",
                "[1,2]",
                "{\"name\":\"old secret\"}",
                "{\"name\":{}}",
                "{\"name\":\"a\"} 2"
            })
    void unreadableEntriesAreATypedErrorWithoutTheirContent(String stored) {
        assertThatThrownBy(() -> codec.decode(stored.getBytes(UTF_8), Strict.class))
                .isInstanceOf(ResultCodecException.class)
                .hasMessageNotContaining("secret")
                .hasNoCause();
    }

    @Test
    void unknownConstantsAndNamesAreUnreadable() {
        assertUnreadable("\"CANCELLED\"", Samples.Status.class);
        assertUnreadable("1", Samples.Status.class);
        assertUnreadable("{\"@type\":\"voucher\"}", Samples.Payment.class);
        assertUnreadable("{\"last4\":\"4242\"}", Samples.Payment.class);
        assertUnreadable("1.5", Integer.class);
    }

    private void assertUnreadable(String stored, Type type) {
        assertThatThrownBy(() -> codec.decode(stored.getBytes(UTF_8), type)).isInstanceOf(ResultCodecException.class);
    }

    @Test
    void readsWhatVersionOneStored() throws IOException {
        assertGolden("orders", Samples.ORDERS, Samples.orders());
        assertGolden("prices", Samples.PRICES, Samples.prices());
        assertGolden("page", Samples.PAGE, Samples.page());
        assertGolden("payment", Samples.Payment.class, new Samples.Card("4242"));
    }

    /** The files were written by the first version of this codec and are never written again. */
    private void assertGolden(String name, Type type, Object expected) throws IOException {
        try (InputStream in = JacksonCodecTest.class.getResourceAsStream("stored-v1-" + name + ".json")) {
            assertThat(in).as(name).isNotNull();
            byte[] stored = in.readAllBytes();
            assertThat(codec.decode(stored, type)).isEqualTo(expected);
            assertThat(new String(codec.encode(expected, type), UTF_8)).isEqualTo(new String(stored, UTF_8));
        }
    }

    @Test
    void replaysThroughAnEngine() {
        try (Oncegate oncegate = Oncegate.claimed(new MemoryRecordStore())
                .codec(new JacksonCodec())
                .build()) {
            Operation<List<Samples.OrderDto>> operation = Operation.named("orders.list")
                    .returning(new TypeRef<List<Samples.OrderDto>>() {})
                    .build();
            var call = operation.call(Scope.of("u"), "k", Fingerprint.none());
            AtomicInteger runs = new AtomicInteger();
            for (int i = 0; i < 2; i++) {
                Outcome<List<Samples.OrderDto>> outcome = oncegate.run(call, claim -> {
                    runs.incrementAndGet();
                    return Samples.orders();
                });
                assertThat(outcome.replayed()).isEqualTo(i == 1);
                assertThat(outcome.orElseThrow()).isEqualTo(Samples.orders());
            }
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void aChangedTypeIsDoneWithoutResultAndNeverRunsAgain() {
        MemoryRecordStore store = new MemoryRecordStore();
        try (Oncegate oncegate =
                Oncegate.claimed(store).codec(new JacksonCodec()).build()) {
            var old = Operation.named("rename").returning(String.class).build();
            oncegate.run(old.call(Scope.of("u"), "k", Fingerprint.none()), claim -> "text");
            var changed = Operation.named("rename").returning(V2Primitive.class).build();
            Outcome<V2Primitive> outcome =
                    oncegate.run(changed.call(Scope.of("u"), "k", Fingerprint.none()), claim -> new V2Primitive("", 1));
            assertThat(outcome).isInstanceOf(Outcome.NoResult.class);
        }
    }

    @Test
    void isReadByAnotherJvm(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("orders");
        Files.write(file, codec.encode(Samples.orders(), Samples.ORDERS));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        OtherJvm.class.getName(),
                        file.toString())
                .redirectErrorStream(true)
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(new String(process.getInputStream().readAllBytes(), UTF_8)).contains("equal: true");
    }

    /** Reads a stored result and says whether it is the expected one. */
    static final class OtherJvm {
        public static void main(String[] arguments) throws IOException {
            Object read = new JacksonCodec().decode(Files.readAllBytes(Path.of(arguments[0])), Samples.ORDERS);
            System.out.println("equal: " + read.equals(Samples.orders()));
        }
    }
}
