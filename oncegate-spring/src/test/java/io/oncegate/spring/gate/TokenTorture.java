package io.oncegate.spring.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.Oncegate;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.memory.MemoryTokenStore;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.core.token.TokenIssue;
import io.oncegate.core.token.TokenMode;
import io.oncegate.core.token.TokenSecret;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.http.KeySource;
import io.oncegate.spring.token.TokenKeySource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;

/**
 * Whatever stands in the token's header, the answer is the handler's, a 400, 403 or 409, and the handler runs once at most.
 * In the process, without a server, for the volume.
 */
public abstract class TokenTorture {
    private final OnceTokens tokens = OnceTokens.signedWith(TokenSecret.of(1, new byte[32]))
            .store(new MemoryTokenStore())
            .giveBackOnFailure()
            .build();

    protected final IdempotentRoute route = IdempotentRoute.post("/orders", "order.create")
            .key(TokenKeySource.of(tokens, "order.create", Duration.ofDays(1)).or(KeySource.header()))
            .build();

    /** The engine under both filters; what it holds lasts for this class alone. */
    protected final Oncegate oncegate =
            Oncegate.claimed(new MemoryRecordStore()).build();

    /** How often the handler has run in this try. */
    protected final AtomicInteger runs = new AtomicInteger();

    /** Sends alice's request with these header lines through the filter, to a handler that counts its run; its status. */
    protected abstract int send(List<String> tokens) throws Exception;

    @Property(tries = 2000, shrinking = ShrinkingMode.OFF)
    @Label("C02b, C33: random and damaged tokens never give a 500 and never run the handler twice")
    void survives(@ForAll("headers") List<String> headers) throws Exception {
        runs.set(0);
        int first = send(headers);
        int second = send(headers);
        assertThat(first).isIn(200, 400, 403, 409);
        assertThat(second).isIn(200, 400, 403, 409);
        assertThat(runs.get()).isEqualTo(first == 200 ? 1 : 0);
    }

    private String token(TokenMode mode, String user, String purpose) {
        return ((TokenIssue.Issued) tokens.issue(Scope.of(user), purpose, mode)).token();
    }

    @Provide
    Arbitrary<List<String>> headers() {
        Arbitrary<String> good = Arbitraries.of(TokenMode.values()).map(mode -> token(mode, "alice", "order.create"));
        Arbitrary<String> foreign = Arbitraries.of(TokenMode.values())
                .flatMap(mode ->
                        Arbitraries.of(token(mode, "bob", "order.create"), token(mode, "alice", "order.cancel")));
        Arbitrary<String> changed = Combinators.combine(
                        good,
                        Arbitraries.integers().between(0, 78),
                        Arbitraries.chars().all())
                .as((token, at, other) -> token.substring(0, at) + other + token.substring(at + 1));
        Arbitrary<String> cut = Combinators.combine(
                        good,
                        Arbitraries.integers().between(0, 79),
                        Arbitraries.integers().between(0, 79))
                .as((token, from, to) -> token.substring(Math.min(from, to), Math.max(from, to)));
        Arbitrary<String> wrapped = Combinators.combine(
                        good,
                        Arbitraries.of("\"", " ", "\t", ",", ";a=1", "=", "==", "\r\n", "\u0000", "\ud800", "%00"))
                .as((token, around) -> around + token + around);
        Arbitrary<String> shaped = Arbitraries.strings()
                .withCharRange('a', 'z')
                .withCharRange('A', 'Z')
                .withCharRange('0', '9')
                .withChars('-', '_')
                .ofLength(79);
        Arbitrary<String> random = Arbitraries.strings().all().ofMaxLength(300);
        Arbitrary<String> longOnes = Arbitraries.integers().between(0, 10_000).map("k"::repeat);
        Arbitrary<String> value = Arbitraries.oneOf(good, foreign, changed, cut, wrapped, shaped, random, longOnes);
        return Arbitraries.frequencyOf(
                Tuple.of(8, value.map(List::of)),
                Tuple.of(1, value.list().ofMinSize(1).ofMaxSize(3)),
                Tuple.of(1, good.map(token -> List.of(token, token))));
    }
}
