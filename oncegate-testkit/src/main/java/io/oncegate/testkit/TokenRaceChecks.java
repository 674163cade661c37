package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.Scope;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.TokenStore.IssueAnswer;
import io.oncegate.core.token.WhenFull;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Races between two handles. */
abstract class TokenRaceChecks extends TokenCapChecks {
    private static final int RACERS = 64;
    private static final Duration LIMIT = Duration.ofMinutes(3);

    @Test
    @DisplayName("C01, C02a: of 64 who use one token at once exactly one passes, round after round")
    void ofManyWhoUseATokenExactlyOnePasses() {
        int rounds = abilities().races();
        List<TokenRef> tokens =
                IntStream.range(0, rounds).mapToObj(round -> issued(someone())).toList();
        AtomicIntegerArray passes = new AtomicIntegerArray(rounds);
        CyclicBarrier together = new CyclicBarrier(RACERS);
        DuplicateStorm.of(RACERS, LIMIT, copy -> () -> {
                    for (int round = 0; round < rounds; round++) {
                        together.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
                        if (handle(copy).consume(tokens.get(round), AttemptId.random())) {
                            passes.incrementAndGet(round);
                        }
                    }
                    return copy;
                })
                .allReturned();
        for (int round = 0; round < rounds; round++) {
            assertThat(passes.get(round)).as("round %d", round).isEqualTo(1);
            assertThat(consumed(tokens.get(round))).isFalse();
        }
    }

    @Test
    @DisplayName("C05b: while a token is used and given back, never two hold it at once")
    void aTokenThatIsGivenBackIsHeldByOneAtATime() {
        TokenRef token = issued(someone());
        AtomicInteger unguarded = new AtomicInteger();
        ConcurrentLinkedQueue<Integer> seen = new ConcurrentLinkedQueue<>();
        DuplicateStorm.of(8, Polling.longLimit(), copy -> () -> {
                    for (int i = 0; i < 30; i++) {
                        AttemptId attempt = AttemptId.random();
                        if (handle(copy).consume(token, attempt)) {
                            int before = unguarded.get();
                            Thread.yield();
                            unguarded.set(before + 1);
                            seen.add(before + 1);
                            assertThat(handle(copy).giveBack(token, attempt)).isTrue();
                        }
                    }
                    return copy;
                })
                .allReturned();
        assertThat(seen).isNotEmpty().doesNotHaveDuplicates();
    }

    @Test
    void manyWhoIssueAtOnceStayWithinTheCap() {
        Scope subject = someone();
        List<TokenRef> tokens =
                IntStream.range(0, 16).mapToObj(i -> tokenOf(subject)).toList();
        DuplicateStorm.of(
                        tokens.size(),
                        Polling.longLimit(),
                        copy -> () -> handle(copy).issue(tokens.get(copy), LONG, CAP, WhenFull.DROP_OLDEST))
                .allReturned();
        assertThat(kept(tokens.get(0))).isEqualTo(CAP);
        assertThat(tokens.stream().filter(this::consumed)).hasSize(CAP);

        Scope careful = someone();
        List<IssueAnswer> answers = DuplicateStorm.of(
                        16,
                        Polling.longLimit(),
                        copy -> () -> handle(copy).issue(tokenOf(careful), LONG, CAP, WhenFull.REFUSE))
                .allReturned();
        assertThat(answers.stream().filter(IssueAnswer.Kept.class::isInstance)).hasSize(CAP);
    }

    @Test
    void usesThatRaceWithIssuesAreRightEitherWay() {
        Scope subject = someone();
        for (int round = 0; round < 5; round++) {
            List<TokenRef> tokens = new ArrayList<>();
            for (int i = 0; i < CAP; i++) {
                tokens.add(issued(subject));
            }
            AtomicIntegerArray passes = new AtomicIntegerArray(CAP);
            DuplicateStorm.of(4 * CAP, Polling.longLimit(), copy -> () -> {
                        if (copy % 4 == 0) {
                            handle(copy).issue(tokenOf(subject), LONG, CAP, WhenFull.DROP_OLDEST);
                        } else if (handle(copy).consume(tokens.get(copy % CAP), AttemptId.random())) {
                            passes.incrementAndGet(copy % CAP);
                        }
                        return copy;
                    })
                    .allReturned();
            for (int i = 0; i < CAP; i++) {
                int later = consumed(tokens.get(i)) ? 1 : 0;
                assertThat(passes.get(i) + later).isLessThanOrEqualTo(1);
            }
        }
    }
}
