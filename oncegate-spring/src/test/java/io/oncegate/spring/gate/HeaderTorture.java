package io.oncegate.spring.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.Oncegate;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.spring.http.IdempotentRoute;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/**
 * Whatever stands in the key's header, the answer is the handler's or a 400, and the handler runs once at most. In the
 * process, without a server, for the volume.
 */
public abstract class HeaderTorture {
    protected static final IdempotentRoute ROUTE =
            IdempotentRoute.post("/orders", "order.create").build();

    /** The engine under both filters; what it holds lasts for this class alone. */
    protected final Oncegate oncegate =
            Oncegate.claimed(new MemoryRecordStore()).build();

    /** How often the handler has run in this try. */
    protected final AtomicInteger runs = new AtomicInteger();

    /** An answer. */
    public record Answer(int status, String replayed) {}

    /** Sends a request with these header lines through the filter, to a handler that counts its run. */
    protected abstract Answer send(List<String> keys) throws Exception;

    @Property(tries = 3000, shrinking = ShrinkingMode.OFF)
    @Label("C33: random and structured headers never give a 500 and never run the handler twice")
    void survives(@ForAll("headers") List<String> keys) throws Exception {
        runs.set(0);
        Answer first = send(keys);
        Answer second = send(keys);
        assertThat(first.status()).isIn(200, 400);
        assertThat(second.status()).isEqualTo(first.status());
        if (first.status() == 200) {
            // the key of an earlier try may have come again
            assertThat(runs.get()).isLessThanOrEqualTo(1);
            assertThat(second.replayed()).isEqualTo("true");
        } else {
            assertThat(runs.get()).isZero();
        }
    }

    @Provide
    Arbitrary<List<String>> headers() {
        Arbitrary<String> piece = Arbitraries.of(
                "\"",
                "\"",
                "\\",
                "\\\"",
                ";",
                ";a",
                ";a=1",
                ";a=\"b\"",
                "=",
                ",",
                " ",
                "\t",
                "key",
                "k-1",
                "?1",
                "?2",
                ":YWJj:",
                "-1.5",
                "1e9",
                "*",
                "(",
                ")",
                "é",
                "\u0000",
                "\u007f",
                "\r\n",
                "演",
                "\ud800",
                "%22",
                "''");
        Arbitrary<String> structured = piece.list().ofMaxSize(12).map(pieces -> String.join("", pieces));
        Arbitrary<String> quoted = structured.map(text -> "\"" + text + "\"");
        Arbitrary<String> random = Arbitraries.strings().all().ofMaxLength(300);
        Arbitrary<String> bytes = Arbitraries.strings()
                .withCharRange('\u0000', '\u00ff')
                .ofMaxLength(40)
                .map(text -> "\"" + text + "\"");
        Arbitrary<String> longOnes = Arbitraries.integers().between(0, 10_000).map(length -> "k".repeat(length));
        Arbitrary<String> good = Arbitraries.strings()
                .withCharRange('!', '~')
                .excludeChars('"', '\\')
                .ofMaxLength(260)
                .map(text -> "\"" + text + "\"");
        Arbitrary<String> value = Arbitraries.oneOf(structured, quoted, random, bytes, longOnes, good);
        return Arbitraries.frequencyOf(
                net.jqwik.api.Tuple.of(8, value.map(List::of)),
                net.jqwik.api.Tuple.of(1, value.list().ofMaxSize(3)));
    }
}
